import FlagEvaluation
import Rollouts

@testable import Storage

/// An item that rests on that text.
func item(
    _ number: Int, _ text: String, _ verdict: EvidenceItem.Verdict = .pass, kind: EvidenceItem.Kind = .parity,
    at now: Int64 = noon, lasting: Int64 = 90 * day, id: String? = nil
) -> EvidenceItem {
    var sha = SHA256()
    return EvidenceItem(
        id: id ?? "01993e0b-0000-7000-8000-00000000000\(number)", kind: kind, route: "trips.edit", contract: "c",
        build: BuildID(app: "app", number: 730), producer: "CI", artefact: sha.digest(of: text).hexadecimal,
        size: text.utf8.count, finding: EvidenceFinding(verdict), createdAt: now, expiresAt: now + lasting)
}

extension Store {
    @discardableResult
    func record(_ item: EvidenceItem, _ text: String) throws -> StoreOutcome<RecordedEvidence> {
        try Answer { completion in
            record(
                { _, ledger in
                    if let standing = ledger.item(repeatedBy: item, at: item.createdAt) {
                        return RecordedEvidence(item: standing, audit: nil)
                    }
                    let draft = AuditDraft(
                        actor: Actor(name: "Ada", role: .admin, keyID: "k1"), action: "evidence.push",
                        subject: "evidence/\(item.route)", reason: "CI",
                        before: .null, after: .object(item.json))
                    return RecordedEvidence(item: item, audit: draft)
                }, artefact: Array(text.utf8), completion: completion)
        }.wait()
    }
}
