import FlagEvaluation
import Rollouts
import RouteContract

/// Appends evidence of one environment with its artefacts, and reads it.
struct EvidenceTables {
    let environment: Int64

    /// The items that still count, and how many rows are not what was stored.
    ///
    /// Such a row keeps nothing from starting. It may have said that something failed, so nothing older in its place
    /// counts either. Rows that could still count are read whenever they are said to expire: their ids tell when they
    /// were made.
    func ledger(at now: Int64, on connection: inout Connection) throws(StoreError) -> (EvidenceLedger, damaged: Int) {
        let rows = try connection.statement(
            """
            SELECT \(EvidenceRow.columns) FROM evidence WHERE environment = ? AND (expires_at > ? OR id >= ?) ORDER BY id
            """)
        let lifetime = EvidenceItem.Kind.allCases.map(\.lifetimeMilliseconds).max() ?? 0
        rows.bind(environment, at: 1)
        rows.bind(now, at: 2)
        rows.bind(
            JourneyID.first(at: max(0, now.subtractingReportingOverflow(lifetime).partialValue)).description, at: 3)
        var ledger = EvidenceLedger()
        var damaged = 0
        while try rows.step() {
            let row = EvidenceRow(rows)
            if let item = try? row.item() {
                if item.holds(at: now) { ledger.add(item) }
            } else {
                damaged += 1
                let (route, kinds) = row.places
                for kind in kinds { ledger.doubt(kind, of: route) }
            }
        }
        return (ledger, damaged)
    }

    /// Stores an item, and its artefact unless that is there; false when the artefacts would take more bytes than that,
    /// and then what was stored is to be taken back.
    func insert(
        _ item: EvidenceItem, _ artefact: [UInt8], within mostBytes: Int, at now: Int64,
        on connection: inout Connection
    ) throws(StoreError) -> Bool {
        var held = try bytes(on: &connection)
        if held > mostBytes - artefact.count {
            try letGo(at: now, on: &connection)
            held = try bytes(on: &connection)
        }
        let bytes = try connection.statement(
            """
            INSERT INTO evidence_artefacts (environment, hash, size, content) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING
            """)
        bytes.bind(environment, at: 1)
        bytes.bind(item.artefact, at: 2)
        bytes.bind(artefact.count, at: 3)
        artefact.withUnsafeBytes { bytes.bindBlob($0, at: 4) }
        try bytes.run()
        guard held <= mostBytes - (connection.changes == 1 ? artefact.count : 0) else { return false }
        let insert = try connection.statement(
            """
            INSERT INTO evidence (environment, id, route, kind, artefact, expires_at, document, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """)
        let document = JSONValue.object(item.json).canonicalJSON
        insert.bind(environment, at: 1)
        for (index, text) in [item.id, item.route, item.kind.rawValue, item.artefact].enumerated() {
            insert.bind(text, at: Int32(index) + 2)
        }
        insert.bind(item.expiresAt, at: 6)
        insert.bindText(document, at: 7)
        insert.bind(RowChecksum.of(evidence: document), at: 8)
        try insert.run()
        return true
    }

    /// Lets go of artefacts that nothing rests on any more.
    private func letGo(at now: Int64, on connection: inout Connection) throws(StoreError) {
        let delete = try connection.statement(
            """
            DELETE FROM evidence_artefacts WHERE environment = ?1 AND NOT EXISTS (
                SELECT 1 FROM evidence WHERE evidence.environment = ?1 AND evidence.artefact = evidence_artefacts.hash
                    AND evidence.expires_at > ?2)
            """)
        delete.bind(environment, at: 1)
        delete.bind(now, at: 2)
        try delete.run()
    }

    /// Bytes of all artefacts.
    private func bytes(on connection: inout Connection) throws(StoreError) -> Int {
        let sum = try connection.statement(
            "SELECT coalesce(sum(size), 0) FROM evidence_artefacts WHERE environment = ?")
        sum.bind(environment, at: 1)
        guard try sum.step() else { return 0 }
        defer { sum.reset() }
        return sum.int(0)
    }

    /// A page of items with lower ids, the newest first; of a route and a kind unless they are nil. Rows that are not
    /// what was stored are passed over, so that a page with too few items is the last one all the same.
    func page(
        _ query: EvidenceQuery, on connection: inout Connection
    ) throws(StoreError) -> [EvidenceItem] {
        let limit = min(max(query.limit, 1), EvidenceQuery.mostItems)
        var query = query
        var items: [EvidenceItem] = []
        while items.count < limit {
            query.limit = limit - items.count
            let rows = try connection.statement(Self.sql(of: query))
            rows.bind(environment, at: 1)
            rows.bind(query.route, at: 2)
            rows.bind(query.kind?.rawValue, at: 3)
            rows.bind(query.before, at: 4)
            rows.bind(query.limit, at: 5)
            var count = 0
            while try rows.step() {
                count += 1
                let row = EvidenceRow(rows)
                query.before = row.id
                if let item = try? row.item() { items.append(item) }
            }
            if count < query.limit { break }
        }
        return items
    }

    /// Takes the environment, the route, the kind, the id before which, and the limit.
    ///
    /// What is not asked for is not named, because no index serves a column that may be anything. The ids of a route are
    /// found in its index alone: SQLite would sooner read every item of every other route.
    static func sql(of query: EvidenceQuery) -> String {
        let kind = query.kind == nil ? "" : " AND kind = ?3"
        let before = query.before == nil ? "" : " AND id < ?4"
        let select = "SELECT \(EvidenceRow.columns) FROM evidence WHERE environment = ?1"
        let page = "\(kind)\(before) ORDER BY id DESC LIMIT ?5"
        guard query.route != nil else { return select + page }
        return """
            \(select) AND id IN (
                SELECT id FROM evidence INDEXED BY evidence_by_route WHERE environment = ?1 AND route = ?2\(page))
            ORDER BY id DESC
            """
    }

    /// One item; nil when there is none.
    func item(_ id: String, on connection: inout Connection) throws(StoreError) -> EvidenceItem? {
        let row = try connection.statement(
            "SELECT \(EvidenceRow.columns) FROM evidence WHERE environment = ? AND id = ?")
        row.bind(environment, at: 1)
        row.bind(id, at: 2)
        guard try row.step() else { return nil }
        defer { row.reset() }
        return try EvidenceRow(row).item()
    }

    /// The bytes of an artefact, compared with their hash; nil when they were let go.
    func artefact(_ hash: String, on connection: inout Connection) throws(StoreError) -> [UInt8]? {
        let row = try connection.statement(
            "SELECT content FROM evidence_artefacts WHERE environment = ? AND hash = ?")
        row.bind(environment, at: 1)
        row.bind(hash, at: 2)
        guard try row.step() else { return nil }
        defer { row.reset() }
        let bytes = row.bytes(0)
        var sha = SHA256()
        guard bytes.withUnsafeBytes({ sha.digest(of: $0) }).hexadecimal == hash else {
            throw StoreError(
                .damagedRow, "The artefact \(hash) is not what was stored. Keep the files, then restore a backup.")
        }
        return bytes
    }
}
