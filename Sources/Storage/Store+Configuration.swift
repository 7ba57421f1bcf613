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
        write(.change(decide, completion))
    }

    /// Reads audit entries with a higher sequence, oldest first; at most 1 000.
    package func auditEntries(
        after sequence: Int64, limit: Int, completion: @escaping @Sendable (StoreOutcome<[AuditEntry]>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in
                let limit = min(max(limit, 1), 1_000)
                var entries: [AuditEntry] = []
                for row in try reader.audit.rows(after: sequence, limit: limit, on: &reader.connection) {
                    entries.append(try AuditEntry(row))
                }
                return entries
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
                if let fault = fault(of: row, after: sequence, head: head, in: reader.audit, using: &sha) {
                    return finish(sequence, head, fault)
                }
                (sequence, head, revision) = (row.sequence, row.hash, row.revision)
            }
            if rows.count == Self.slice {
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

    private func fault(
        of row: AuditRow, after sequence: Int64, head: String?, in audit: AuditTable, using sha: inout SHA256
    ) -> String? {
        if row.sequence != sequence &+ 1 { return "Entry \(sequence &+ 1) is missing." }
        if row.previousHash != head ?? AuditHash.origin { return "Entry \(row.sequence) follows another." }
        if row.hash != AuditHash.hash(of: row, environment: audit.environmentName, using: &sha) {
            return "Entry \(row.sequence) is not what was written."
        }
        return nil
    }

    private func finish(_ entries: Int64, _ head: String?, _ fault: String?) {
        completion(.committed(AuditVerdict(entries: entries, head: head, fault: fault)))
    }
}
