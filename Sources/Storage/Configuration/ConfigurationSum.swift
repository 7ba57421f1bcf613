import CSQLite
import Rollouts

/// The sum of the checksums of all configuration rows, kept beside the revision.
///
/// SQLite has no checksums for its pages: this shows at the next start that a row was changed, lost or doubled by
/// anything but a change of ours. A sum, so that a change costs two rows and not all of them.
struct ConfigurationSum {
    let environment: Int64

    /// Every table of the configuration.
    static let tables = [
        "flows", "routes", "flags", "cohorts", "builds", "keys", "overrides", "environment_settings",
        "conditions", "waivers",
    ]

    /// Adds up what is stored.
    func total(on connection: inout Connection) throws(StoreError) -> Int64 {
        var total: Int64 = 0
        for table in Self.tables {
            let rows = try connection.statement("SELECT * FROM \(table) WHERE environment = ?")
            rows.bind(environment, at: 1)
            while try rows.step() { total &+= Self.checksum(of: rows, in: table) }
        }
        return total
    }

    /// What the row that is stored now adds to the sum; 0 when there is none.
    func share(of row: ConfigurationRow, on connection: inout Connection) throws(StoreError) -> Int64 {
        let (table, key) = Self.place(of: row)
        let conditions = key.map { " AND \($0.column) = ?" }.joined()
        let select = try connection.statement("SELECT * FROM \(table) WHERE environment = ?\(conditions)")
        select.bind(environment, at: 1)
        for (index, part) in key.enumerated() {
            switch part.value {
            case .text(let text): select.bind(text, at: Int32(index) + 2)
            case .number(let number): select.bind(number, at: Int32(index) + 2)
            }
        }
        guard try select.step() else { return 0 }
        defer { select.reset() }
        return Self.checksum(of: select, in: table)
    }

    /// Moves the sum that is stored.
    func add(_ difference: Int64, on connection: inout Connection) throws(StoreError) {
        // SQLite would turn a sum that overflows into a floating-point number.
        guard difference != 0, let sum = try stored(on: &connection) else { return }
        try store(sum &+ difference, on: &connection)
    }

    /// Compares what is stored with what it should be; the first start after a migration only takes note of it.
    func check(on connection: inout Connection) throws(StoreError) {
        let total = try total(on: &connection)
        guard let stored = try stored(on: &connection) else { return try store(total, on: &connection) }
        guard stored == total else {
            throw StoreError(
                .corrupt,
                "The configuration is not what was stored: a row was changed or lost. Keep the files, then restore a backup."
            )
        }
    }

    /// The sum that is stored; nil until a start has added it up.
    func stored(on connection: inout Connection) throws(StoreError) -> Int64? {
        let select = try connection.statement("SELECT configuration_sum FROM environments WHERE id = ?")
        select.bind(environment, at: 1)
        guard try select.step() else { throw StoreError(.corrupt, "The environment's row is gone.") }
        defer { select.reset() }
        return select.optionalInt64(0)
    }

    private func store(_ sum: Int64, on connection: inout Connection) throws(StoreError) {
        let update = try connection.statement("UPDATE environments SET configuration_sum = ? WHERE id = ?")
        update.bind(sum, at: 1)
        update.bind(environment, at: 2)
        try update.run()
    }

    private enum KeyValue {
        case text(String)
        case number(Int64)
    }

    /// The table of a row, and the columns by which it is found there besides the environment.
    private static func place(of row: ConfigurationRow) -> (table: String, key: [(column: String, value: KeyValue)]) {
        switch row {
        case .flow(let flow): ("flows", [("key", .text(flow.key))])
        case .route(let route): ("routes", [("key", .text(route.key))])
        case .flag(let flag): ("flags", [("key", .text(flag.key))])
        case .removedFlag(let key): ("flags", [("key", .text(key))])
        case .cohort(let cohort): ("cohorts", [("key", .text(cohort.key))])
        case .removedCohort(let key): ("cohorts", [("key", .text(key))])
        case .build(let build): ("builds", [("app", .text(build.id.app)), ("number", .number(build.id.number))])
        case .key(let key): ("keys", [("key_id", .text(key.id))])
        case .override(let override): place(of: .removedOverride(override.id))
        case .removedOverride(let id): ("overrides", [("route", .text(id.route)), ("unit", .text(id.unit))])
        case .settings: ("environment_settings", [])
        case .condition(let condition): place(of: .removedCondition(condition.id))
        case .removedCondition(let id):
            (
                "conditions",
                [("route", .text(id.route)), ("key", .text(id.key)), ("version", .number(Int64(id.version)))]
            )
        case .waiver(let waiver): place(of: .removedWaiver(waiver.id))
        case .removedWaiver(let id):
            ("waivers", [("route", .text(id.route)), ("gate", .text(id.gate)), ("move", .text(id.move ?? ""))])
        }
    }

    private static func checksum(of row: Statement, in table: String) -> Int64 {
        var sum = RowChecksum()
        sum.add(table)
        for column in 0..<sqlite3_column_count(row.handle) { row.withBytes(column) { sum.add($0) } }
        return Int64(bitPattern: sum.value)
    }
}
