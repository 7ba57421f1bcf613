import FlagEvaluation
import Rollouts
import RouteContract
import Storage
import Synchronization

/// How long the flips of rehearsals take to reach the journeys of their cohorts.
///
/// Lost with the process: then the rehearsal has no result, and is made again.
final class RehearsalWatch: Sendable {
    /// The times of one unit, in milliseconds after the two flips.
    struct Times: Hashable, Sendable {
        var build: BuildID
        var toMigrated: Int64
        var back: Int64?
        /// Given migrated although it had been flipped back.
        var isStuck = false
    }

    struct Measured: Sendable {
        let route: String
        let startedAt: Int64
        fileprivate let endsAt: Int64
        fileprivate(set) var backAt: Int64?
        fileprivate(set) var backRevision: Int64?
        fileprivate(set) var units: [String: Times] = [:]
    }

    /// Units that are measured in one rehearsal.
    fileprivate static let mostUnits = 10_000
    private struct State {
        /// By flow.
        var running: [String: [Measured]] = [:]
        /// Rehearsals that an earlier process began: what it measured is gone.
        var lost: Set<Rehearsed> = []
        var hasBegun = false
    }
    private struct Rehearsed: Hashable {
        let route: String
        let startedAt: Int64
    }
    private let state = Mutex(State())

    /// Takes up what a new configuration rehearses. What ended is kept until it is taken.
    func follow(_ configuration: Configuration, at now: Int64) {
        let rehearsed = configuration.routes.values.filter { $0.rehearsal != nil }
        state.withLock { state in
            guard !rehearsed.isEmpty || !state.running.isEmpty else { return }
            for route in rehearsed {
                guard let rehearsal = route.rehearsal else { continue }
                let id = Rehearsed(route: route.key, startedAt: rehearsal.startedAt)
                if !state.hasBegun { state.lost.insert(id) }
                guard !state.lost.contains(id) else { continue }
                var all = (state.running[route.flow] ?? []).filter {
                    $0.route != route.key || $0.startedAt == rehearsal.startedAt
                }
                if !all.contains(where: { $0.route == route.key }), !rehearsal.isBack {
                    all.append(Measured(route: route.key, startedAt: rehearsal.startedAt, endsAt: rehearsal.endsAt))
                }
                if rehearsal.isBack, let index = all.firstIndex(where: { $0.route == route.key }),
                    all[index].backAt == nil
                {
                    (all[index].backAt, all[index].backRevision) = (now, configuration.revision)
                }
                state.running[route.flow] = all
            }
            for (flow, all) in state.running {
                // One that was broken off has no result; one that is over waits a minute to be taken.
                let kept = all.filter { measured in
                    let isOver = measured.backAt != nil && now >= measured.endsAt && now < measured.endsAt + 60_000
                    return isOver || rehearsed.contains { $0.key == measured.route }
                }
                state.running[flow] = kept.isEmpty ? nil : kept
            }
        }
    }

    /// Says that the configuration with which this process began has been followed.
    func begin() { state.withLock { $0.hasBegun = true } }

    func note(_ start: CountedStart, at now: () -> Int64) {
        state.withLock { state in
            guard let indices = state.running[start.flow]?.indices, let choices = start.choices.all else { return }
            let now = now()
            // In place: a copy of the units for each start would be made on the writer's thread.
            for index in indices { state.running[start.flow]?[index].note(start, choices, at: now) }
        }
    }

    /// What was measured of a route's rehearsal, which is forgotten with it.
    func take(_ route: RouteRollout) -> Measured? {
        state.withLock { state in
            let found = state.running[route.flow]?.first { $0.route == route.key }
            state.running[route.flow]?.removeAll { $0.route == route.key }
            if state.running[route.flow]?.isEmpty ?? false { state.running[route.flow] = nil }
            return found
        }
    }
}

extension RehearsalWatch.Measured {
    fileprivate mutating func note(_ start: CountedStart, _ choices: [(route: String, choice: Choice)], at now: Int64) {
        guard let choice = choices.first(where: { $0.route == route })?.choice else { return }
        if choice == Choice(renderer: .migrated, reason: .cohort) {
            let isLate = backRevision.map { start.revision >= $0 } ?? false
            if isLate {
                units[start.unit]?.isStuck = true
            } else if units[start.unit] == nil, units.count < RehearsalWatch.mostUnits {
                units[start.unit] = RehearsalWatch.Times(build: start.build, toMigrated: max(0, now - startedAt))
            }
        } else if choice.renderer == .legacy, let backAt, let times = units[start.unit], times.back == nil {
            units[start.unit]?.back = max(0, now - backAt)
        }
    }

    /// What was found for each build: passed when some unit went there and back and none was stuck.
    func findings() -> [(build: BuildID, finding: EvidenceFinding, artefact: JSONObject)] {
        Dictionary(grouping: units.values) { $0.build }.sorted { $0.key < $1.key }.map { build, times in
            let there = times.map(\.toMigrated).sorted()
            let back = times.compactMap(\.back).sorted()
            let stuck = times.count(where: \.isStuck)
            let verdict: EvidenceItem.Verdict = stuck > 0 ? .fail : back.isEmpty ? .inconclusive : .pass
            let migrated =
                "\(there.count) units given migrated after p50 \(there.percentile(50)) ms, p95 \(there.percentile(95)) ms"
            // What decides stands first: a gate shows the first.
            let reasons =
                back.isEmpty
                ? ["none of them started a journey after the flip back", migrated]
                : [
                    migrated,
                    "\(back.count) back on legacy after p50 \(back.percentile(50)) ms, p95 \(back.percentile(95)) ms",
                ]
            let artefact: JSONObject = [
                "route": .string(route), "build": .string(build.text), "startedAt": .integer(startedAt),
                "backAt": backAt.map { .integer($0) } ?? .null, "stuck": .integer(Int64(stuck)),
                "toMigrated": .array(there.map { .integer($0) }), "toLegacy": .array(back.map { .integer($0) }),
            ]
            return (
                build, EvidenceFinding(verdict, stuck > 0 ? ["\(stuck) still got migrated"] + reasons : reasons),
                artefact
            )
        }
    }
}

extension [Int64] {
    /// The smallest value that so many percent do not exceed; of a sorted list, 0 of an empty one.
    func percentile(_ percent: Int) -> Int64 {
        isEmpty ? 0 : self[Swift.max(0, (count * percent + 99) / 100 - 1)]
    }
}
