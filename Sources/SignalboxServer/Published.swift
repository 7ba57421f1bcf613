import Rollouts
import Synchronization

/// The newest snapshot, where every worker finds it.
final class Published: Sendable {
    private let current: Mutex<Snapshot>
    private let count = Atomic<Int>(0)

    init(_ configuration: Configuration, at now: Int64) {
        current = Mutex(Snapshot(configuration, publishedAt: now))
    }

    /// Rises with every snapshot.
    var generation: Int { count.load(ordering: .acquiring) }

    var snapshot: Snapshot { current.withLock { $0 } }

    /// Compiles a configuration and lets everybody see it.
    @discardableResult
    func publish(_ configuration: Configuration, at now: Int64) -> Snapshot {
        let snapshot = Snapshot(configuration, publishedAt: now, after: snapshot)
        current.withLock { $0 = snapshot }
        count.add(1, ordering: .releasing)
        return snapshot
    }
}
