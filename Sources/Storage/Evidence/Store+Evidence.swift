import Rollouts

/// Which items are read, the newest first.
package struct EvidenceQuery: Hashable, Sendable {
    package var route: String?
    package var kind: EvidenceItem.Kind?
    /// Only items with lower ids: the last one of the page before.
    package var before: String?
    package var limit: Int
    package static let mostItems = 500

    package init(route: String? = nil, kind: EvidenceItem.Kind? = nil, before: String? = nil, limit: Int = 100) {
        self.route = route
        self.kind = kind
        self.before = before
        self.limit = limit
    }
}

extension Store {
    /// Decides on the newest configuration and evidence, and stores the item with its artefact and an audit entry. The
    /// revision stays.
    package func record(
        _ decide: @escaping @Sendable (Configuration, EvidenceLedger) throws -> RecordedEvidence, artefact: [UInt8],
        completion: @escaping @Sendable (StoreOutcome<RecordedEvidence>) -> Void
    ) {
        write(.record(decide, artefact: artefact, completion))
    }

    /// Reads a page of evidence, what has expired included and what is damaged left out.
    package func evidence(
        _ query: EvidenceQuery, completion: @escaping @Sendable (StoreOutcome<[EvidenceItem]>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in
                try EvidenceTables(environment: reader.environment.id).page(query, on: &reader.connection)
            }
        }
    }

    /// Reads one item, and with `withArtefact` its bytes, which may have been let go; nil when there is no such item.
    package func evidence(
        _ id: String, withArtefact: Bool,
        completion: @escaping @Sendable (StoreOutcome<(item: EvidenceItem, artefact: [UInt8]?)?>) -> Void
    ) {
        read(completion) { reader in
            reader.answer(completion) { reader throws(StoreError) in
                let tables = EvidenceTables(environment: reader.environment.id)
                guard let item = try tables.item(id, on: &reader.connection) else { return nil }
                let bytes = withArtefact ? try tables.artefact(item.artefact, on: &reader.connection) : nil
                return (item, bytes)
            }
        }
    }
}

extension Writer {
    /// Decides on the evidence as this transaction has left it, and stores what is new.
    func record(
        _ decide: (Configuration, EvidenceLedger) throws -> RecordedEvidence, _ artefact: [UInt8]
    ) throws(StoreError) -> WriteJob.Result {
        let now = now()
        ledger.removeExpired(at: now)
        let recorded: RecordedEvidence
        do {
            recorded = try decide(candidate, ledger)
        } catch {
            return .refused(error)
        }
        guard let draft = recorded.audit else { return .recorded(recorded) }
        try connection.run("SAVEPOINT record")
        do {
            guard try evidence.insert(recorded.item, artefact, within: evidenceBytes, at: now, on: &connection) else {
                try takeBack()
                return .refused(RolloutError.evidenceFull)
            }
            try audit.append(draft, leadingTo: candidate, at: now, on: &connection, using: &sha)
            try connection.run("RELEASE record")
        } catch {
            if connection.isInTransaction { try takeBack() }
            throw error
        }
        ledger.add(recorded.item)
        return .recorded(recorded)
    }

    private func takeBack() throws(StoreError) {
        try connection.run("ROLLBACK TO record")
        try connection.run("RELEASE record")
    }
}
