import FlagEvaluation
import Rollouts

/// Appends to the audit of one environment and walks it.
struct AuditTable {
    let environment: Int64
    let environmentName: String

    /// Appends an entry after the last one.
    func append(
        _ draft: AuditDraft, leadingTo configuration: Configuration, at now: Int64, on connection: inout Connection,
        using sha: inout SHA256
    ) throws(StoreError) {
        let last = try connection.statement(
            "SELECT sequence, hash FROM audit WHERE environment = ? ORDER BY sequence DESC LIMIT 1")
        last.bind(environment, at: 1)
        let hasLast = try last.step()
        let sequence = hasLast ? last.int64(0) : 0
        let previousHash = hasLast ? last.text(1) : AuditHash.origin
        last.reset()
        var row = AuditRow(
            sequence: sequence &+ 1, epoch: configuration.epoch, revision: configuration.revision, time: now,
            actor: draft.actor.name, role: draft.actor.role.rawValue, keyID: draft.actor.keyID, action: draft.action,
            subject: draft.subject, reason: draft.reason,
            before: String(decoding: draft.before.canonicalJSON, as: UTF8.self),
            after: String(decoding: draft.after.canonicalJSON, as: UTF8.self), previousHash: previousHash)
        row.hash = AuditHash.hash(of: row, environment: environmentName, using: &sha)
        try insert(row, on: &connection)
    }

    private func insert(_ row: AuditRow, on connection: inout Connection) throws(StoreError) {
        let insert = try connection.statement(
            """
            INSERT INTO audit (environment, sequence, epoch, revision, occurred_at, actor, role, key_id, action,
                subject, reason, before, after, previous_hash, hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for (index, number) in [environment, row.sequence, row.epoch, row.revision, row.time].enumerated() {
            insert.bind(number, at: Int32(index) + 1)
        }
        let texts = [
            row.actor, row.role, row.keyID, row.action, row.subject, row.reason, row.before, row.after,
            row.previousHash, row.hash,
        ]
        for (index, text) in texts.enumerated() { insert.bind(text, at: Int32(index) + 6) }
        try insert.run()
    }

    /// Bytes of definitions that one page holds; an entry that is larger is a page of its own.
    static let pageBytes = 4 << 20
    private static let mostRows = 1_000
    private static let columns = """
        sequence, epoch, revision, occurred_at, actor, role, key_id, action, subject, reason, before, after,
            previous_hash, hash
        """

    /// A page of entries, oldest first, of a subject or of all: as many as asked for, or fewer when they are large; none
    /// only at the end.
    func rows(
        _ page: AuditPage, of subject: String?, on connection: inout Connection
    ) throws(StoreError) -> [AuditRow] {
        switch page {
        case .after(let sequence, let limit):
            let select = try connection.statement(
                """
                SELECT \(Self.columns) FROM audit
                WHERE environment = ?1 AND sequence > ?2 AND (?4 IS NULL OR subject = ?4) ORDER BY sequence LIMIT ?3
                """)
            return try rows(select, from: sequence, limit: limit, of: subject)
        case .before(let sequence, let limit):
            let select = try connection.statement(
                """
                SELECT \(Self.columns) FROM audit
                WHERE environment = ?1 AND sequence < ?2 AND (?4 IS NULL OR subject = ?4) ORDER BY sequence DESC LIMIT ?3
                """)
            return try rows(select, from: sequence, limit: limit, of: subject).reversed()
        }
    }

    private func rows(
        _ select: Statement, from sequence: Int64, limit: Int, of subject: String?
    ) throws(StoreError) -> [AuditRow] {
        select.bind(environment, at: 1)
        select.bind(sequence, at: 2)
        select.bind(min(max(limit, 1), Self.mostRows), at: 3)
        select.bind(subject, at: 4)
        var rows: [AuditRow] = []
        var bytes = 0
        defer { select.reset() }
        while bytes < Self.pageBytes, try select.step() {
            bytes += select.byteCount(10) + select.byteCount(11)
            if !rows.isEmpty, bytes > Self.pageBytes { break }
            rows.append(
                AuditRow(
                    sequence: select.int64(0), epoch: select.int64(1), revision: select.int64(2),
                    time: select.int64(3), actor: select.text(4), role: select.text(5), keyID: select.text(6),
                    action: select.text(7), subject: select.text(8), reason: select.text(9), before: select.text(10),
                    after: select.text(11), previousHash: select.text(12), hash: select.text(13)))
        }
        return rows
    }
}

extension AuditEntry {
    init(_ row: AuditRow) {
        self.init(
            sequence: row.sequence, epoch: row.epoch, revision: row.revision, time: row.time, actor: row.actor,
            role: row.role, keyID: row.keyID, action: row.action, subject: row.subject, reason: row.reason,
            beforeText: row.before, afterText: row.after, previousHash: row.previousHash, hash: row.hash)
    }
}
