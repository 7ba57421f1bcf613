import FlagEvaluation
import RouteContract

/// An item that stands, and the audit entry with which it was made; nil when it stood before.
package struct RecordedEvidence: Sendable {
    package let item: EvidenceItem
    package let audit: AuditDraft?

    package init(item: EvidenceItem, audit: AuditDraft?) {
        self.item = item
        self.audit = audit
    }
}

extension Configuration {
    /// The most bytes of one artefact.
    package static let mostArtefactBytes = 1 << 20

    /// Accepts an item whose finding the service made for a contract, or gives the one that says the same already.
    ///
    /// Whoever made the finding had an earlier configuration before them, so what it rests on is looked at again.
    package func recording(
        _ item: EvidenceItem, beside ledger: EvidenceLedger, by actor: Actor, reason: String, at now: Int64
    ) throws(RolloutError) -> RecordedEvidence {
        let reason = try Self.checked(reason)
        try check(item.kind, of: item.route, for: item.build, contract: item.contract)
        guard !item.producer.isBlank, item.producer.utf8.count <= 256 else {
            throw .invalidField("/producer", "a name of at most 256 bytes")
        }
        let latest = now.addingReportingOverflow(item.kind.lifetimeMilliseconds).partialValue
        guard item.expiresAt > now, item.expiresAt <= latest else {
            let days = item.kind.lifetimeMilliseconds / 86_400_000
            throw .invalidField("/expiresAt", "a time to come, for \(item.kind.rawValue) at most \(days) days ahead")
        }
        if let standing = ledger.item(repeatedBy: item, at: now) {
            return RecordedEvidence(item: standing, audit: nil)
        }
        guard ledger.count < EvidenceLedger.mostItems else { throw .evidenceFull }
        return RecordedEvidence(
            item: item,
            audit: AuditDraft(
                actor: actor, action: "evidence.push", subject: "evidence/\(item.route)", reason: reason,
                before: .null, after: .object(item.json)))
    }

    /// Refuses evidence of a route or a build that is not registered, and of another contract.
    package func check(
        _ kind: EvidenceItem.Kind, of key: String, for build: BuildID, contract: String?
    ) throws(RolloutError) {
        let route = try route(key)
        guard let registered = builds[build] else {
            throw RolloutError(.buildNotFound, "There is no build \(build.text); register it first.")
        }
        let needed: Set<Renderer> =
            switch kind {
            case .parity, .performance, .rehearsal: [.legacy, .migrated]
            case .codeReferences: []
            default: [.migrated]
            }
        guard registered.renderers[key].map({ $0.isSuperset(of: needed) }) ?? false else {
            let names = needed.map(\.rawValue).sorted().joined(separator: " and ")
            throw .invalidField(
                "/build", needed.isEmpty ? "a build that has the route" : "a build that has \(names) of the route")
        }
        guard let hash = route.contract?.hash else {
            throw RolloutError(.contractMismatch, "\"\(key)\" has no contract that evidence could be of.")
        }
        guard contract == nil || contract == hash else {
            throw RolloutError(
                .contractMismatch, "The evidence is not of the contract that \"\(key)\" has now.",
                details: ["contract": .string(hash)])
        }
    }
}

extension RolloutError {
    /// Nothing more can be stored until something expires.
    package static var evidenceFull: RolloutError {
        RolloutError(.evidenceFull, "Evidence that still counts takes all the room that there is.")
    }
}
