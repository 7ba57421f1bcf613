import FlagEvaluation

extension Configuration {
    /// The longest time for which an old key lives beside its successor: 30 days.
    package static let longestOverlapMilliseconds: Int64 = 30 * 86_400_000

    /// Puts a new key in the place of one that still opens, which ends after the overlap.
    func rotatingKey(
        _ id: String, to successor: AccessKey, overlap: Int64, at now: Int64
    ) throws(RolloutError) -> Change? {
        let before = try keys[id].orThrow(RolloutError(.keyNotFound, "There is no key with the id \"\(id)\"."))
        guard before.isUsable(at: now) else {
            throw RolloutError(.keyEnded, "This key has ended; create a new one instead.")
        }
        guard (0...Self.longestOverlapMilliseconds).contains(overlap) else {
            throw .invalidField("/overlapSeconds", "seconds from 0 to 2592000, which are 30 days")
        }
        guard successor.kind == before.kind, successor.role == before.role, successor.holder == before.holder else {
            throw .invalidField("/successor", "of the kind, role and holder of the old key")
        }
        guard let creation = try creatingKey(successor, at: now) else {
            throw RolloutError(.keyExists, "There is a key with the id \"\(successor.id)\" already.")
        }
        var after = before
        after.expiresAt = min(before.expiresAt ?? .max, now + overlap)
        return Change(
            "key.rotate", "key/\(id)", before: .object(before.publicJSON),
            after: ["key": .object(after.publicJSON), "successor": .object(successor.publicJSON)],
            rows: creation.rows + [.key(after)])
    }
}
