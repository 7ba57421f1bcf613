import Rollouts
import Storage
import Synchronization

/// Earlier configurations, compiled, by which devices decided while they were offline.
///
/// Whoever invents revisions must not cost much: few are kept, none lies far back, one is made at a time, and so many a
/// minute at the most. What cannot be had is told at once; then a journey is stored as unverified, an honest one too.
final class PastSnapshots: Sendable {
    /// How many are kept.
    static let most = 16
    /// Changes that are taken back at the most.
    static let farthest: Int64 = 1_000
    /// Made in a minute at the most.
    static let perMinute = 60
    /// Starts that may wait for one that is being made.
    private static let mostWaiting = 256

    private struct Key: Hashable {
        let epoch: Int64
        let revision: Int64
    }
    private struct State {
        /// The one asked for last is the last.
        var kept: [(key: Key, snapshot: Snapshot)] = []
        /// The one that is being made, and who waits for it.
        var making: Key?
        var waiting: [@Sendable (Snapshot?) -> Void] = []
        var minute: Int64 = 0
        var madeInMinute = 0
    }
    private let state = Mutex(State())

    private enum Found {
        case here(Snapshot?)
        case waits
        case toBeMade
    }

    /// Gives the configuration of that epoch and revision, which led to `current`; nil when it cannot be had. The
    /// completion runs at once, or on a thread of its own.
    func snapshot(
        _ epoch: Int64, _ revision: Int64, before current: Snapshot, in service: Service,
        completion: @escaping @Sendable (Snapshot?) -> Void
    ) {
        let configuration = current.configuration
        guard epoch == configuration.epoch, revision <= configuration.revision,
            configuration.revision - revision <= Self.farthest
        else { return completion(nil) }
        if revision == configuration.revision { return completion(current) }
        let key = Key(epoch: epoch, revision: revision)
        switch find(key, completion, at: service.now()) {
        case .here(let snapshot): completion(snapshot)
        case .waits: break
        case .toBeMade: make(key, before: current, in: service)
        }
    }

    private func find(_ key: Key, _ completion: @escaping @Sendable (Snapshot?) -> Void, at now: Int64) -> Found {
        state.withLock { state in
            if let index = state.kept.firstIndex(where: { $0.key == key }) {
                let found = state.kept.remove(at: index)
                state.kept.append(found)
                return .here(found.snapshot)
            }
            if state.making == key, state.waiting.count < Self.mostWaiting {
                state.waiting.append(completion)
                return .waits
            }
            if state.minute != now / 60_000 { (state.minute, state.madeInMinute) = (now / 60_000, 0) }
            guard state.making == nil, state.madeInMinute < Self.perMinute else { return .here(nil) }
            state.madeInMinute += 1
            state.making = key
            state.waiting = [completion]
            return .toBeMade
        }
    }

    private func make(_ key: Key, before current: Snapshot, in service: Service) {
        PastConfiguration(
            service: service, current: current, epoch: key.epoch, revision: key.revision, for: nil
        ).find { found in
            // Compiling takes milliseconds that a worker does not have.
            Task.detached(priority: .utility) {
                // What could not be taken back may be what decided.
                let isWhole = found.configuration != nil && found.notes.isEmpty
                let snapshot = isWhole ? found.configuration.map { Snapshot($0, publishedAt: 0, after: current) } : nil
                self.finish(key, snapshot)
            }
        }
    }

    private func finish(_ key: Key, _ snapshot: Snapshot?) {
        let waiting = state.withLock { state in
            if let snapshot {
                state.kept.append((key, snapshot))
                if state.kept.count > Self.most { state.kept.removeFirst() }
            }
            state.making = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(snapshot) }
    }
}
