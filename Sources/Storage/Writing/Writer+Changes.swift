import Rollouts

extension Writer {
    /// Decides on the configuration as this transaction has left it, and stores what was decided.
    func change(
        _ decide: (Configuration, EvidenceLedger) throws -> AppliedCommand
    ) throws(StoreError) -> WriteJob.Result {
        let applied: AppliedCommand
        do {
            applied = try decide(candidate, ledger)
        } catch {
            return .refused(error)
        }
        guard let draft = applied.audit else {
            guard applied.rows.isEmpty else {
                throw StoreError(.failed, "A change without an audit entry is not stored.")
            }
            return .changed(applied)
        }
        let next = applied.configuration
        guard next.environment == candidate.environment, next.epoch == candidate.epoch,
            next.revision == candidate.revision &+ 1
        else { throw StoreError(.failed, "A change leads from revision \(candidate.revision) to the next, no other.") }

        try connection.run("SAVEPOINT change")
        do {
            var difference: Int64 = 0
            for row in applied.rows {
                difference &-= try sum.share(of: row, on: &connection)
                try configurationTables.store(row, on: &connection)
                difference &+= try sum.share(of: row, on: &connection)
            }
            try sum.add(difference, on: &connection)
            try environment.setRevision(next.revision, on: &connection)
            try audit.append(draft, leadingTo: next, at: now(), on: &connection, using: &sha)
            try connection.run("RELEASE change")
        } catch {
            if connection.isInTransaction {
                try connection.run("ROLLBACK TO change")
                try connection.run("RELEASE change")
            }
            throw error
        }
        candidate = next
        return .changed(applied)
    }
}
