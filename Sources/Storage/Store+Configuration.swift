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
        read(completion) { walk.run(AuditChain(of: $0.audit), on: $0) }
    }
}

/// A walk through the audit, slice by slice.
private struct AuditWalk: Sendable {
    let completion: @Sendable (StoreOutcome<AuditVerdict>) -> Void

    func run(_ chain: AuditChain, on reader: Reader) {
        var chain = chain
        do {
            let (rows, stored) = try reader.auditSlice(after: chain.sequence, limit: AuditChain.slice)
            var sha = SHA256()
            if let verdict = chain.follow(rows, using: &sha) { return completion(.committed(verdict)) }
            if rows.isEmpty { return completion(.committed(chain.verdict(at: stored))) }
            reader.goOn { [chain] in run(chain, on: $0) }
        } catch {
            completion(.rejected(error))
        }
    }
}
