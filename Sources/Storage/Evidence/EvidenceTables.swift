import FlagEvaluation
import Rollouts

/// Appends evidence of one environment with its artefacts, and reads it.
struct EvidenceTables {
    let environment: Int64

    /// The items that still count, every row compared with its checksum.
    func ledger(at now: Int64, on connection: inout Connection) throws(StoreError) -> EvidenceLedger {
        let rows = try connection.statement(
            "SELECT document, checksum FROM evidence WHERE environment = ? AND expires_at > ? ORDER BY id")
        rows.bind(environment, at: 1)
        rows.bind(now, at: 2)
        var ledger = EvidenceLedger()
        while try rows.step() { ledger.add(try item(rows)) }
        return ledger
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

    /// A page of items with lower ids, the newest first; of a route and a kind unless they are nil.
    func page(
        _ query: EvidenceQuery, on connection: inout Connection
    ) throws(StoreError) -> [EvidenceItem] {
        let rows = try connection.statement(Self.sql(of: query))
        rows.bind(environment, at: 1)
        rows.bind(query.route, at: 2)
        rows.bind(query.kind?.rawValue, at: 3)
        rows.bind(query.before, at: 4)
        rows.bind(min(max(query.limit, 1), EvidenceQuery.mostItems), at: 5)
        var items: [EvidenceItem] = []
        while try rows.step() { items.append(try item(rows)) }
        return items
    }

    /// Takes the environment, the route, the kind, the id before which, and the limit.
    ///
    /// What is not asked for is not named, because no index serves a column that may be anything. The ids of a route are
    /// found in its index alone: SQLite would sooner read every item of every other route.
    static func sql(of query: EvidenceQuery) -> String {
        let kind = query.kind == nil ? "" : " AND kind = ?3"
        let before = query.before == nil ? "" : " AND id < ?4"
        let select = "SELECT document, checksum FROM evidence WHERE environment = ?1"
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
        let row = try connection.statement("SELECT document, checksum FROM evidence WHERE environment = ? AND id = ?")
        row.bind(environment, at: 1)
        row.bind(id, at: 2)
        guard try row.step() else { return nil }
        defer { row.reset() }
        return try item(row)
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
        guard bytes.withUnsafeBytes({ sha.digest(of: $0) }).hexadecimal == hash else { throw Self.damaged }
        return bytes
    }

    private func item(_ row: Statement) throws(StoreError) -> EvidenceItem {
        let document = row.bytes(0)
        guard RowChecksum.of(evidence: document) == row.int64(1),
            let json = (try? JSONValue(parsing: document, limits: .trusted))?.object,
            let item = try? EvidenceItem(json: json)
        else { throw Self.damaged }
        return item
    }

    private static let damaged = StoreError(
        .corrupt, "A row of the evidence is not what was stored. Keep the files, then restore a backup.")
}

extension RowChecksum {
    /// The checksum of an item's document, as its column holds it.
    static func of(evidence document: [UInt8]) -> Int64 {
        var sum = RowChecksum()
        sum.add("evidence")
        document.withUnsafeBytes { sum.add($0) }
        return Int64(bitPattern: sum.value)
    }
}
