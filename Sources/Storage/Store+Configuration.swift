import Rollouts

extension Store {
    /// Decides on the newest configuration and stores what was decided, with its revision and its audit entry.
    ///
    /// `decide` runs on the writer's thread and sees earlier changes, those of the same batch included. What it throws
    /// rejects this job alone. Without an audit entry nothing is stored, and there is no new revision.
    package func change(
        _ decide: @escaping @Sendable (Configuration) throws -> AppliedCommand,
        completion: @escaping @Sendable (StoreOutcome<AppliedCommand>) -> Void
    ) {
        write(.change({ configuration, _ in try decide(configuration) }, completion))
    }

    /// The same for a change that gates have to pass: they look into the newest evidence.
    package func change(
        judging decide: @escaping @Sendable (Configuration, EvidenceLedger) throws -> AppliedCommand,
        completion: @escaping @Sendable (StoreOutcome<AppliedCommand>) -> Void
    ) {
        write(.change(decide, completion))
    }

    /// Reads a page of the audit, oldest first: at most 1 000 entries, fewer when they are large, and only those of a
    /// subject unless it is nil.
    package func auditEntries(
        _ page: AuditPage, of subject: String? = nil,
        completion: @escaping @Sendable (StoreOutcome<[AuditEntry]>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in
                let rows = try reader.audit.rows(page, of: subject, on: &reader.connection)
                try reader.audit.refuseDamage(in: rows)
                return rows.map(AuditEntry.init)
            }
        }
    }

    /// Walks the whole audit and recomputes every hash.
    package func verifyAudit(completion: @escaping @Sendable (StoreOutcome<AuditVerdict>) -> Void) {
        let walk = AuditWalk(completion: completion)
        read(completion) { walk.run(after: 0, head: nil, revision: 0, on: $0) }
    }
}

/// A walk through the audit, slice by slice.
private struct AuditWalk: Sendable {
    let completion: @Sendable (StoreOutcome<AuditVerdict>) -> Void

    private static let slice = 500

    func run(after sequence: Int64, head: String?, revision: Int64, on reader: Reader) {
        do {
            let (rows, stored) = try reader.auditSlice(after: sequence, limit: Self.slice)
            var sha = SHA256()
            var (sequence, head, revision) = (sequence, head, revision)
            for row in rows {
                if let fault = reader.audit.fault(of: row, after: sequence, head: head, using: &sha) {
                    return finish(sequence, head, fault)
                }
                (sequence, head, revision) = (row.sequence, row.hash, row.revision)
            }
            if !rows.isEmpty {
                return reader.goOn { [sequence, head, revision] in
                    run(after: sequence, head: head, revision: revision, on: $0)
                }
            }
            // The chain does not see that its end was cut; the environment's revision does.
            finish(sequence, head, stored == revision ? nil : "The last entries are missing.")
        } catch {
            completion(.rejected(error))
        }
    }

    private func finish(_ entries: Int64, _ head: String?, _ fault: String?) {
        completion(.committed(AuditVerdict(entries: entries, head: head, fault: fault)))
    }
}
