import Rollouts
import Storage

/// Looks in the audit for routes that came to another stage, from now back to a time.
struct RecentMoves: Sendable {
    struct Found: Sendable {
        /// Milliseconds since 1970 from which on all was looked at: later than what was asked for when the audit begins
        /// later, or holds more since than is looked through.
        let since: Int64
        let moves: [StageMove]
    }

    let service: Service
    /// Milliseconds since 1970.
    let since: Int64
    let now: Int64
    /// Entries that are looked through at the most, and bytes of what they hold.
    private static let mostEntries = 20_000
    private static let mostBytes = 64 << 20
    private static let page = 1_000

    init(service: Service, since: Int64, now: Int64) {
        self.service = service
        self.since = since
        self.now = now
    }

    /// Fails with `store_overloaded` while as many look back as may.
    func find(_ completion: @escaping @Sendable (StoreOutcome<Found>) -> Void) {
        guard service.beginLookingBack(for: .read) else {
            return completion(.rejected(StoreError(.overloaded, "Others are looking through the audit; ask again.")))
        }
        look(Walk(), before: .max) { [service] outcome in
            service.endLookingBack()
            completion(outcome)
        }
    }

    /// How far the audit was looked through.
    private struct Walk {
        var moves: [StageMove] = []
        /// The time of the earliest entry that was looked at.
        var earliest = Int64.max
        var entries = 0
        var bytes = 0
    }

    /// Looks through one page and goes on with the one before it, so that one is in memory. On a thread of its own, which the
    /// store's reader has no time for.
    private func look(
        _ walk: Walk, before sequence: Int64, _ completion: @escaping @Sendable (StoreOutcome<Found>) -> Void
    ) {
        service.store.auditEntries(.before(sequence, limit: Self.page)) { outcome in
            Task.detached(priority: .utility) {
                switch outcome {
                case .committed(let entries):
                    var walk = walk
                    add(entries, to: &walk)
                    if let first = entries.first, first.sequence > 1, walk.earliest >= since, !isAtEnd(walk) {
                        look(walk, before: first.sequence, completion)
                    } else {
                        let seen = min(max(since, walk.earliest), now)
                        completion(.committed(Found(since: seen, moves: walk.moves)))
                    }
                case .rejected(let error): completion(.rejected(error))
                case .unknown(let error): completion(.unknown(error))
                }
            }
        }
    }

    private func add(_ entries: [AuditEntry], to walk: inout Walk) {
        for entry in entries {
            walk.bytes += entry.beforeText.utf8.count + entry.afterText.utf8.count
            guard StageMove.mayBe(in: entry.action) else { continue }
            walk.moves += StageMove.moves(
                subject: entry.subject, before: entry.before, after: entry.after, at: entry.time)
        }
        walk.entries += entries.count
        walk.earliest = entries.first.map(\.time) ?? walk.earliest
    }

    private func isAtEnd(_ walk: Walk) -> Bool { walk.entries >= Self.mostEntries || walk.bytes >= Self.mostBytes }
}
