import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension Service {
    /// Says what a change would do, on a thread of its own: evaluating 100 000 units would hold up a worker.
    func dryRun(
        _ change: ChangeRequest, for parked: ParkedRequest, answer: @escaping @Sendable (AppliedCommand) -> JSONObject
    ) {
        let before = snapshot
        let evidence = store.evidence
        Task.detached(priority: .utility) {
            do {
                let applied = try change.applied(to: before.configuration, beside: evidence)
                var body = Self.answer(to: applied, showing: answer)
                body["dryRun"] = true
                let affected = applied.rows.flatMap { row -> [String] in
                    switch row {
                    case .route(let route): [route.key]
                    case .cohort(let cohort): before.configuration.routes(naming: cohort.key).map(\.key)
                    default: []
                    }
                }
                let after = Snapshot(
                    applied.configuration.keepingExclusions(absentFrom: before.configuration),
                    publishedAt: change.now, after: before)
                let earlier = before.configuration.keepingExclusions(absentFrom: applied.configuration)
                let before =
                    earlier == before.configuration
                    ? before : Snapshot(earlier, publishedAt: change.now, after: before)
                let deadline = change.now + UnitsChanged.mostMilliseconds
                let isOver = { self.now() >= deadline }
                let units = UnitsChanged(of: affected, from: before, to: after, at: change.now, until: isOver)
                body["unitsChanged"] = .object(units.json)
                let flags = applied.countedFlags(since: before.configuration)
                if !flags.isEmpty {
                    let counted = VariantsChanged.counted(
                        flags.prefix(VariantsChanged.mostFlags), from: before, to: after, at: change.now, until: isOver)
                    body["variantsChanged"] = .objects(counted.map(\.json))
                    body["notCounted"] = .integer(Int64(flags.count - counted.count))
                }
                parked.complete(with: .json(.object(body)))
            } catch {
                parked.complete(with: self.failure(error))
            }
        }
    }
}

extension Configuration {
    /// Without the scoped rollbacks that stand in the other configuration too.
    ///
    /// What a context does not tell counts as inside, so a sampled unit, which tells nothing, would lie in each of them and
    /// have nothing to lose: it stands for those who lie outside.
    fileprivate func keepingExclusions(absentFrom other: Configuration) -> Configuration {
        var kept = self
        for (key, route) in routes where !route.exclusions.isEmpty {
            let shared = Set(other.routes[key]?.exclusions.map(\.id) ?? [])
            kept.routes[key]?.exclusions.removeAll { shared.contains($0.id) }
        }
        return kept
    }
}

/// How many synthetic units get another renderer for one of some routes.
///
/// A rule may take milliseconds a unit, so the sample ends early when time is up, and says how large it was.
/// The units carry a targeting key and nothing else, so a cohort that asks for attributes contains none of them.
struct UnitsChanged {
    static let sample = 100_000
    /// From the request on, so that many dry runs at once do not take longer than one.
    static let mostMilliseconds: Int64 = 2_000
    /// Units between two looks at the clock.
    static let stride = 64
    private(set) var sampled = 0
    private(set) var toMigrated = 0
    private(set) var toLegacy = 0

    init(
        of routes: [String], from before: Snapshot, to after: Snapshot, at now: Int64,
        until isOver: () -> Bool
    ) {
        let pairs = routes.compactMap { key -> (CompiledRoute, CompiledRoute)? in
            guard let old = before.route(key), let new = after.route(key) else { return nil }
            return (old, new)
        }
        guard !pairs.isEmpty else {
            sampled = Self.sample
            return
        }
        let scratch = EvaluationScratch()
        for number in 0..<Self.sample {
            if number % Self.stride == 0, isOver() { return }
            sampled += 1
            let context = EvaluationContext(targetingKey: "unit-\(number)", attributes: [:])
            var widens = false
            var narrows = false
            for (old, new) in pairs {
                let was = before.isMigrated(old, for: context, at: now, using: scratch)
                let isNow = after.isMigrated(new, for: context, at: now, using: scratch)
                widens = widens || (!was && isNow)
                narrows = narrows || (was && !isNow)
            }
            if widens { toMigrated += 1 }
            if narrows { toLegacy += 1 }
        }
    }

    var json: JSONObject {
        [
            "toMigrated": .integer(Int64(toMigrated)), "toLegacy": .integer(Int64(toLegacy)),
            "of": .integer(Int64(sampled)),
        ]
    }
}
