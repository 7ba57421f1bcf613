extension AuditTable {
    /// What is wrong with an entry that should follow the one of that number and hash; nil when nothing is.
    func fault(of row: AuditRow, after sequence: Int64, head: String?, using sha: inout SHA256) -> String? {
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
        var (sequence, head, revision): (Int64, String?, Int64) = (0, nil, 0)
        while true {
            let rows = try rows(.after(sequence, limit: 500), of: nil, on: &connection)
            for row in rows {
                if let fault = fault(of: row, after: sequence, head: head, using: &sha) {
                    return AuditVerdict(entries: sequence, head: head, fault: fault)
                }
                (sequence, head, revision) = (row.sequence, row.hash, row.revision)
            }
            if rows.isEmpty { break }
        }
        // The chain does not see that its end was cut; the environment's revision does.
        let stored = try EnvironmentTable(id: environment).revision(on: &connection)
        let fault = stored == revision ? nil : "The last entries are missing."
        return AuditVerdict(entries: sequence, head: head, fault: fault)
    }
}
