import FlagEvaluation
import Rollouts
import RouteContract

/// Writes and loads the rows of one environment's configuration.
struct ConfigurationTables {
    let environment: Int64

    /// Stores one row, or removes it.
    func store(_ row: ConfigurationRow, on connection: inout Connection) throws(StoreError) {
        switch row {
        case .flow(let flow):
            let statement = try connection.statement(
                """
                INSERT INTO flows (environment, key, flow_id, document) VALUES (?, ?, ?, ?)
                ON CONFLICT (environment, key) DO UPDATE SET document = excluded.document
                """)
            statement.bind(flow.key, at: 2)
            statement.bind(flow.id, at: 3)
            try run(statement, document: flow.json, at: 4)
        case .route(let route):
            let statement = try connection.statement(
                """
                INSERT INTO routes (environment, key, flow, stage, status, step, document) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (environment, key) DO UPDATE SET
                    flow = excluded.flow, stage = excluded.stage, status = excluded.status, step = excluded.step,
                    document = excluded.document
                """)
            statement.bind(route.key, at: 2)
            statement.bind(route.flow, at: 3)
            statement.bind(route.stage.rawValue, at: 4)
            statement.bind(route.status.rawValue, at: 5)
            statement.bind(route.step, at: 6)
            try run(statement, document: route.json, at: 7)
        case .flag(let flag):
            let statement = try connection.statement(
                """
                INSERT INTO flags (environment, key, document) VALUES (?, ?, ?)
                ON CONFLICT (environment, key) DO UPDATE SET document = excluded.document
                """)
            statement.bind(flag.key, at: 2)
            try run(statement, document: flag.json, at: 3)
        case .removedFlag(let key):
            try remove(key, by: connection.statement("DELETE FROM flags WHERE environment = ? AND key = ?"))
        case .cohort(let cohort):
            let statement = try connection.statement(
                """
                INSERT INTO cohorts (environment, key, document) VALUES (?, ?, ?)
                ON CONFLICT (environment, key) DO UPDATE SET document = excluded.document
                """)
            statement.bind(cohort.key, at: 2)
            try run(statement, document: cohort.json, at: 3)
        case .removedCohort(let key):
            try remove(key, by: connection.statement("DELETE FROM cohorts WHERE environment = ? AND key = ?"))
        case .build(let build):
            let statement = try connection.statement(
                """
                INSERT INTO builds (environment, app, number, document) VALUES (?, ?, ?, ?)
                ON CONFLICT (environment, app, number) DO UPDATE SET document = excluded.document
                """)
            statement.bind(build.id.app, at: 2)
            statement.bind(build.id.number, at: 3)
            try run(statement, document: build.json, at: 4)
        case .key(let key):
            let statement = try connection.statement(
                """
                INSERT INTO keys (environment, key_id, kind, hash, document) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (environment, key_id) DO UPDATE SET document = excluded.document
                """)
            statement.bind(key.id, at: 2)
            statement.bind(key.kind.rawValue, at: 3)
            statement.bind(key.hash, at: 4)
            try run(statement, document: key.json, at: 5)
        case .override(let override):
            let statement = try connection.statement(
                """
                INSERT INTO overrides (environment, route, unit, expires_at, document) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (environment, route, unit) DO UPDATE SET
                    expires_at = excluded.expires_at, document = excluded.document
                """)
            statement.bind(override.id.route, at: 2)
            statement.bind(override.id.unit, at: 3)
            statement.bind(override.expiresAt, at: 4)
            try run(statement, document: override.json, at: 5)
        case .removedOverride(let id):
            let statement = try connection.statement(
                "DELETE FROM overrides WHERE environment = ? AND route = ? AND unit = ?")
            statement.bind(id.unit, at: 3)
            try remove(id.route, by: statement)
        case .settings(let settings):
            let statement = try connection.statement(
                """
                INSERT INTO environment_settings (environment, document) VALUES (?, ?)
                ON CONFLICT (environment) DO UPDATE SET document = excluded.document
                """)
            try run(statement, document: settings.json, at: 2)
        case .condition(let condition):
            let statement = try connection.statement(
                """
                INSERT INTO conditions (environment, route, key, version, document) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (environment, route, key, version) DO UPDATE SET document = excluded.document
                """)
            statement.bind(condition.id.route, at: 2)
            statement.bind(condition.id.key, at: 3)
            statement.bind(condition.id.version, at: 4)
            try run(statement, document: condition.json, at: 5)
        case .removedCondition(let id):
            let statement = try connection.statement(
                "DELETE FROM conditions WHERE environment = ? AND route = ? AND key = ? AND version = ?")
            statement.bind(id.key, at: 3)
            statement.bind(id.version, at: 4)
            try remove(id.route, by: statement)
        case .waiver(let waiver):
            let statement = try connection.statement(
                """
                INSERT INTO waivers (environment, route, gate, move, expires_at, document) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (environment, route, gate, move) DO UPDATE SET
                    expires_at = excluded.expires_at, document = excluded.document
                """)
            statement.bind(waiver.id.route, at: 2)
            statement.bind(waiver.id.gate, at: 3)
            statement.bind(waiver.id.move ?? "", at: 4)
            statement.bind(waiver.expiresAt, at: 5)
            try run(statement, document: waiver.json, at: 6)
        case .removedWaiver(let id):
            let statement = try connection.statement(
                "DELETE FROM waivers WHERE environment = ? AND route = ? AND gate = ? AND move = ?")
            statement.bind(id.gate, at: 3)
            statement.bind(id.move ?? "", at: 4)
            try remove(id.route, by: statement)
        }
    }

    private func run(_ statement: Statement, document: JSONObject, at index: Int32) throws(StoreError) {
        statement.bind(environment, at: 1)
        statement.bindText(JSONValue.object(document).canonicalJSON, at: index)
        try statement.run()
    }

    private func remove(_ key: String, by statement: Statement) throws(StoreError) {
        statement.bind(environment, at: 1)
        statement.bind(key, at: 2)
        try statement.run()
    }
}

extension ConfigurationTables {
    /// Adds everything that is stored to an empty configuration.
    func load(into configuration: inout Configuration, from connection: inout Connection) throws(StoreError) {
        let flows = try items(of: "flows", on: &connection) { json throws(RolloutError) in try Flow(json: json) }
        let routes = try items(of: "routes", on: &connection) { json throws(RolloutError) in
            try RouteRollout(json: json)
        }
        let flags = try items(of: "flags", on: &connection) { json throws(RolloutError) in try StoredFlag(json: json) }
        let cohorts = try items(of: "cohorts", on: &connection) { json throws(RolloutError) in try Cohort(json: json) }
        let builds = try items(of: "builds", on: &connection) { json throws(RolloutError) in try Build(json: json) }
        let keys = try items(of: "keys", on: &connection) { json throws(RolloutError) in try AccessKey(json: json) }
        let overrides = try items(of: "overrides", on: &connection) { json throws(RolloutError) in
            try Override(json: json)
        }
        let conditions = try items(of: "conditions", on: &connection) { json throws(RolloutError) in
            try StopCondition(json: json)
        }
        let waivers = try items(of: "waivers", on: &connection) { json throws(RolloutError) in try Waiver(json: json) }
        let settings = try items(of: "environment_settings", on: &connection) { json throws(RolloutError) in
            try EnvironmentSettings(json: json)
        }
        let rows: [[ConfigurationRow]] = [
            flows.map { .flow($0) }, routes.map { .route($0) }, flags.map { .flag($0) }, cohorts.map { .cohort($0) },
            builds.map { .build($0) }, keys.map { .key($0) }, overrides.map { .override($0) },
            conditions.map { .condition($0) }, waivers.map { .waiver($0) }, settings.map { .settings($0) },
        ]
        for row in rows.joined() { configuration.store(row) }
    }

    private func items<Item>(
        of table: String, on connection: inout Connection, _ make: (JSONObject) throws(RolloutError) -> Item
    ) throws(StoreError) -> [Item] {
        var items: [Item] = []
        for document in try documents(of: table, on: &connection) { items.append(try document.read(make)) }
        return items
    }

    private func documents(of table: String, on connection: inout Connection) throws(StoreError) -> [StoredDocument] {
        let rows = try connection.statement("SELECT document FROM \(table) WHERE environment = ?")
        rows.bind(environment, at: 1)
        var documents: [StoredDocument] = []
        while try rows.step() { documents.append(StoredDocument(table: table, text: rows.text(0))) }
        return documents
    }
}

/// The document of one row, as it is stored.
private struct StoredDocument {
    let table: String
    let text: String

    /// Reads with no limit but what can be written: a row that was accepted must not keep the store from opening.
    ///
    /// The error says nothing of the content, which may be the hash of a key.
    func read<Item>(_ make: (JSONObject) throws(RolloutError) -> Item) throws(StoreError) -> Item {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: text, limits: .trusted)
        } catch {
            throw damaged(error.code.rawValue)
        }
        guard let object = json.object else { throw damaged("no object") }
        do {
            return try make(object)
        } catch {
            throw damaged(error.code.rawValue)
        }
    }

    private func damaged(_ why: String) -> StoreError {
        StoreError(.corrupt, "A row of the table \(table) cannot be read (\(why)). Restore a backup.")
    }
}
