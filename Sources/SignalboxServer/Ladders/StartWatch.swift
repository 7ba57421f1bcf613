import Rollouts
import RouteContract
import Storage
import Synchronization

/// What is learned from the starts of journeys as they are committed: how many units each step of a ladder has given
/// migrated, and how long a rollback took to reach the first journey.
///
/// Nothing is counted for flows in which nothing waits for it, so that an ordinary start costs one look-up.
final class StartWatch: Sendable {
    /// A step that waits for units.
    fileprivate struct Rung {
        let route: String
        /// The revision with which the step began.
        let revision: Int64
        let minimum: Int
        /// Hashes of the units, no more than are waited for.
        var units: Set<Int> = []
        /// Whether what was stored before this process began is among them.
        var isComplete: Bool

        /// In place, so that no start copies the units.
        mutating func note(_ start: CountedStart, _ choices: [(route: String, choice: Choice)]) {
            guard start.revision >= revision, units.count < minimum,
                choices.contains(where: { $0.route == route && $0.choice.renderer == .migrated })
            else { return }
            units.insert(start.unit.hashValue)
        }
    }

    /// A rollback that no journey has been given yet, or the time that it took.
    private struct Stop {
        let route: String
        let since: Int64
        var firstLegacyAfter: Int64?
    }

    private struct State {
        var epoch: Int64 = 0
        /// By flow.
        var rungs: [String: [Rung]] = [:]
        var stops: [String: [Stop]] = [:]
        var hasBegun = false

        /// Whether the start may tell anything: most come when a step has its units and a rollback was obeyed.
        func waits(for start: CountedStart, isNew: Bool) -> Bool {
            (rungs[start.flow] ?? []).contains { $0.units.count < $0.minimum }
                || (isNew && (stops[start.flow] ?? []).contains { $0.firstLegacyAfter == nil })
        }
    }

    private let state = Mutex(State())

    /// Takes up what a new configuration waits for, and drops what it does not.
    func follow(_ configuration: Configuration) {
        state.withLock { state in
            let known = state.epoch == configuration.epoch ? state : State()
            var next = State(epoch: configuration.epoch, hasBegun: state.hasBegun)
            for route in configuration.routes.values {
                if let minimum = route.unitsWaitedFor, let revision = route.stepRevision {
                    let rung = known.rungs[route.flow]?.first {
                        $0.route == route.key && $0.revision == revision && $0.minimum >= minimum
                    }
                    next.rungs[route.flow, default: []].append(
                        rung
                            ?? Rung(
                                route: route.key, revision: revision, minimum: minimum,
                                // A step that begins now has no past; an edit of the plan may have made it wait later.
                                isComplete: state.hasBegun && revision == configuration.revision))
                }
                if let since = route.stoppedAt {
                    let stop = known.stops[route.flow]?.first { $0.route == route.key && $0.since == since }
                    next.stops[route.flow, default: []].append(stop ?? Stop(route: route.key, since: since))
                }
            }
            next.hasBegun = true
            state = next
        }
    }

    /// Counts one start. `now` is asked only when the first journey has obeyed a rollback.
    func note(_ start: CountedStart, isNew: Bool, at now: () -> Int64) {
        state.withLock { state in
            guard state.epoch == start.epoch, state.waits(for: start, isNew: isNew),
                let choices = start.choices.all
            else { return }
            for index in state.rungs[start.flow]?.indices ?? 0..<0 {
                state.rungs[start.flow]?[index].note(start, choices)
            }
            guard isNew else { return }
            for index in state.stops[start.flow]?.indices ?? 0..<0 {
                guard let stop = state.stops[start.flow]?[index], stop.firstLegacyAfter == nil,
                    choices.contains(where: { $0.route == stop.route && $0.choice.reason == .rolledBack })
                else { continue }
                state.stops[start.flow]?[index].firstLegacyAfter = max(0, now() - stop.since)
            }
        }
    }

    /// The units by route, of those that wait for any; nil for all as long as one of them is not counted whole.
    var units: [String: StepUnits]? {
        state.withLock { state in
            let rungs = state.rungs.values.joined()
            guard rungs.allSatisfy({ $0.isComplete || $0.units.count >= $0.minimum }) else { return nil }
            return Dictionary(
                rungs.map { ($0.route, StepUnits(stepRevision: $0.revision, count: $0.units.count)) }
            ) { first, _ in first }
        }
    }

    /// A step that is not counted whole.
    struct OpenRung: Hashable {
        fileprivate let route: String
        fileprivate let revision: Int64
        fileprivate let minimum: Int
    }

    /// The steps that are not counted whole.
    var open: Set<OpenRung> {
        state.withLock { state in Set(state.rungs.values.joined().filter { !$0.isComplete }.map(OpenRung.init)) }
    }

    /// Says that all that was stored when these were open has been noted.
    func complete(_ counted: Set<OpenRung>) {
        state.withLock { state in
            for flow in state.rungs.keys {
                for index in state.rungs[flow]?.indices ?? 0..<0 {
                    guard let rung = state.rungs[flow]?[index], counted.contains(OpenRung(rung)) else { continue }
                    state.rungs[flow]?[index].isComplete = true
                }
            }
        }
    }

    /// Milliseconds from the command to the first journey that obeyed the rollback of a route; nil when there was none
    /// since this process began.
    func firstLegacyAfter(of route: RouteRollout) -> Int64? {
        state.withLock { state in
            state.stops[route.flow]?.first { $0.route == route.key && $0.since == route.stoppedAt }?.firstLegacyAfter
        }
    }
}

extension StartWatch.OpenRung {
    fileprivate init(_ rung: StartWatch.Rung) {
        self.init(route: rung.route, revision: rung.revision, minimum: rung.minimum)
    }
}

extension RouteRollout {
    /// The units that must be counted before the next step; nil where none are waited for.
    fileprivate var unitsWaitedFor: Int? {
        guard stage == .partialRollout, status == .active || status == .held, let plan, step >= 1,
            step <= plan.steps.count
        else { return nil }
        let minimum = plan.steps[step - 1].minimumUnits
        return minimum > 0 ? minimum : nil
    }

    /// When the whole or a part was last rolled back; nil when nothing is.
    fileprivate var stoppedAt: Int64? {
        let whole = status == .rolledBack ? [stepSince] : []
        return (whole + exclusions.map(\.since)).max()
    }
}
