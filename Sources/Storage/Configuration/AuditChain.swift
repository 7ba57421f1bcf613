/// The entries of an audit in their order, as far as they were walked.
struct AuditChain: Sendable {
    let audit: AuditTable
    private(set) var sequence: Int64 = 0
    private var head: String?
    private var revision: Int64 = 0

    /// Entries that are walked at once.
    static let slice = 500

    init(of audit: AuditTable) { self.audit = audit }

    /// Follows the next entries; gives the verdict at the first that is not what should follow.
    mutating func follow(_ rows: [AuditRow], using sha: inout SHA256) -> AuditVerdict? {
        for row in rows {
            if let fault = audit.fault(of: row, after: sequence, head: head, using: &sha) { return verdict(fault) }
            (sequence, head, revision) = (row.sequence, row.hash, row.revision)
        }
        return nil
    }

    /// The verdict behind the last entry. The chain does not see that its end was cut; the revision that the environment
    /// has then does.
    func verdict(at stored: Int64) -> AuditVerdict {
        verdict(stored == revision ? nil : "The last entries are missing.")
    }

    private func verdict(_ fault: String?) -> AuditVerdict {
        AuditVerdict(entries: sequence, head: head, fault: fault)
    }
}

extension AuditTable {
    /// What is wrong with an entry that should follow the one of that number and hash; nil when nothing is.
    fileprivate func fault(of row: AuditRow, after sequence: Int64, head: String?, using sha: inout SHA256) -> String? {
        if row.sequence != sequence &+ 1 { return "Entry \(sequence &+ 1) is missing." }
        if row.previousHash != head ?? AuditHash.origin { return "Entry \(row.sequence) follows another." }
        if row.hash != AuditHash.hash(of: row, environment: environmentName, using: &sha) {
            return "Entry \(row.sequence) is not what was written."
        }
        return nil
    }

    /// Fails with `store_damaged_row` when an entry is not what was written: its text is answered as it is stored, and
    /// a flipped bit may have made something else of it.
    func refuseDamage(in rows: [AuditRow]) throws(StoreError) {
        var sha = SHA256()
        for row in rows where row.hash != AuditHash.hash(of: row, environment: environmentName, using: &sha) {
            throw StoreError(
                .damagedRow,
                "Audit entry \(row.sequence) is not what was written. Keep the files, run audit verify, restore a backup."
            )
        }
    }

    /// Walks the whole audit on a connection of one's own.
    func verdict(on connection: inout Connection) throws(StoreError) -> AuditVerdict {
        var sha = SHA256()
        var chain = AuditChain(of: self)
        while true {
            let rows = try rows(.after(chain.sequence, limit: AuditChain.slice), of: nil, on: &connection)
            if let verdict = chain.follow(rows, using: &sha) { return verdict }
            if rows.isEmpty { break }
        }
        return chain.verdict(at: try EnvironmentTable(id: environment).revision(on: &connection))
    }
}
