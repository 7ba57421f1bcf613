import FlagEvaluation
import HTTPServer
import Storage

/// What one worker of the HTTP server keeps for itself, so that requests neither share nor allocate it.
///
/// `@unchecked Sendable`: a worker's requests run one after the other on its own thread, and nothing else touches its
/// object but the evaluation counters, which are atomic: `/metrics` and detached tasks use those too.
final class Worker: @unchecked Sendable {
    private let published: Published
    private var generation = -1
    private var current: Snapshot
    private var sha = SHA256()
    /// The tape of the request body; its memory is used again and again.
    let document = JSONDocument()
    let scratch = EvaluationScratch()
    let evaluations = EvaluationCounters()

    init(published: Published) {
        self.published = published
        current = published.snapshot
    }

    /// The newest snapshot. Costs an atomic read unless there is a new one.
    func newestSnapshot() -> Snapshot {
        let newest = published.generation
        if newest != generation {
            generation = newest
            current = published.snapshot
        }
        return current
    }

    /// Whose key the request shows. Fails with `unauthorized`, or `forbidden` when the key is not for this.
    func principal(
        of request: borrowing Request, for permission: Permission, in snapshot: Snapshot, at now: Int64
    ) throws -> Principal {
        guard let text = Self.key(in: request),
            let principal = snapshot.keys.principal(showing: text, at: now, &sha)
        else {
            throw ServiceError(
                .unauthorized, "Send a valid key as 'Authorization: Bearer sb_…'; this one is missing, wrong or ended.")
        }
        guard principal.may(permission) else {
            throw ServiceError(
                .forbidden,
                "This key lacks the permission \(permission.rawValue); ask for one of another kind or role.",
                details: ["permission": .string(permission.rawValue)])
        }
        return principal
    }

    private static func key(in request: borrowing Request) -> UnsafeRawBufferPointer? {
        if let header = request.header("authorization") {
            let scheme = "bearer ".utf8
            guard header.count > scheme.count, zip(header, scheme).allSatisfy({ $0 | 0x20 == $1 }) else { return nil }
            return UnsafeRawBufferPointer(rebasing: header[scheme.count...])
        }
        return request.header("x-api-key")
    }
}
