extension Store {
    /// Writes down outside the database how far the audit and the pins have come. Nothing is anchored once writing has
    /// stopped: then it is not known what stands.
    package func writeAnchor(completion: @escaping @Sendable (StoreOutcome<Anchor>) -> Void) {
        if let failure = shared.failure { return completion(.rejected(failure)) }
        read(completion) { [anchorFile, now] reader in
            reader.answer(completion) { reader throws(StoreError) in
                let anchor = try reader.audit.anchor(at: now(), on: &reader.connection)
                try anchorFile.write(anchor)
                return anchor
            }
        }
    }

    /// Walks the whole audit, recomputes every hash and compares it with the anchor. What it finds stops all writing.
    package func verifyAuditAndAnchor(completion: @escaping @Sendable (StoreOutcome<AuditVerdict>) -> Void) {
        verifyAudit { [self] outcome in
            guard case .committed(let verdict) = outcome else { return completion(outcome) }
            if let fault = verdict.fault { return answer(verdict, fault, completion) }
            read(completion) { [self] reader in
                do {
                    let fault = try reader.audit.contradiction(to: anchorFile, on: &reader.connection)
                    answer(verdict, fault, completion)
                } catch {
                    completion(.rejected(error))
                }
            }
        }
    }

    /// The folder that the database is in.
    package var folder: String { DurableFile.folder(of: path) }

    /// The newest time of day that the anchor has seen; 0 without an anchor.
    package func newestTime() -> Int64 {
        if case .anchor(let anchor) = try? anchorFile.content() { anchor.writtenAt } else { 0 }
    }

    private func answer(
        _ verdict: AuditVerdict, _ fault: String?, _ completion: @Sendable (StoreOutcome<AuditVerdict>) -> Void
    ) {
        if let fault { shared.stopWrites(StoreError(contradiction: fault)) }
        completion(.committed(AuditVerdict(entries: verdict.entries, head: verdict.head, fault: fault)))
    }
}
