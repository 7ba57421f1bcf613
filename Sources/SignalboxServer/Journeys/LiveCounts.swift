import Rollouts
import RouteContract
import Storage
import Synchronization

/// The journeys in flight, counted for all who ask at about the same time.
///
/// A count reads every journey of the last days: 5 ms for 5 000. So there is one at a time, whoever asks meanwhile gets
/// its result, and a large one is told again for as long as it is young: a hundredth of a millisecond for each row.
final class LiveCounts: Sendable {
    /// From here on a count is told again.
    private static let small = 10_000
    private static let rowsPerMillisecond: Int64 = 100

    private struct State {
        var last: LiveCount?
        var isCounting = false
        var waiting: [@Sendable (StoreOutcome<LiveCount>) -> Void] = []
    }
    private let state = Mutex(State())

    func count(
        in store: Store, at now: Int64, completion: @escaping @Sendable (StoreOutcome<LiveCount>) -> Void
    ) {
        let (known, begins) = state.withLock { state -> (LiveCount?, Bool) in
            if let last = state.last, Self.isYoung(last, at: now) { return (last, false) }
            state.waiting.append(completion)
            defer { state.isCounting = true }
            return (nil, !state.isCounting)
        }
        if let known { return completion(.committed(known)) }
        guard begins else { return }
        store.liveJourneys(at: now) { [self] outcome in
            let waiting = state.withLock { state in
                state.last = outcome.value
                state.isCounting = false
                defer { state.waiting = [] }
                return state.waiting
            }
            for completion in waiting { completion(outcome) }
        }
    }

    private static func isYoung(_ count: LiveCount, at now: Int64) -> Bool {
        count.scanned >= small && (0...(Int64(count.scanned) / rowsPerMillisecond)).contains(now - count.countedAt)
    }
}

extension Service {
    /// Counts the journeys in flight, or tells what was counted a moment ago.
    func liveJourneys(at now: Int64, completion: @escaping @Sendable (StoreOutcome<LiveCount>) -> Void) {
        liveCounts.count(in: store, at: now, completion: completion)
    }

    /// Finds out what gates ask for beside the configuration.
    func countFacts(at now: Int64, completion: @escaping @Sendable (StoreOutcome<Facts>) -> Void) {
        liveJourneys(at: now) { [self] live in
            store.buildActivity(at: now) { [self] builds in
                switch (live, builds) {
                case (.committed(let live), .committed(let builds)):
                    var facts = Facts(live, builds)
                    facts.units = watch.units
                    facts.evidence = store.evidence
                    completion(.committed(facts))
                case (.committed, .rejected(let error)), (.rejected(let error), _): completion(.rejected(error))
                case (.committed, .unknown(let error)), (.unknown(let error), _): completion(.unknown(error))
                }
            }
        }
    }
}

extension Facts {
    /// What was counted of journeys.
    init(_ live: LiveCount, _ builds: [BuildActivity]) {
        let recent = builds.compactMap { activity in activity.build.map { ($0, Int(activity.month)) } }
        self.init(
            livePins: LivePins.byRoute(live.journeys),
            recentJourneys: Dictionary(recent, uniquingKeysWith: { first, _ in first }))
    }
}

extension LivePins {
    /// What was counted, by route.
    static func byRoute(_ journeys: [LiveJourneys]) -> [String: LivePins] {
        journeys.reduce(into: [:]) { pins, group in
            switch group.renderer {
            case .legacy: pins[group.route, default: LivePins()].legacy[group.build, default: 0] += group.count
            case .migrated: pins[group.route, default: LivePins()].migrated[group.build, default: 0] += group.count
            }
        }
    }
}
