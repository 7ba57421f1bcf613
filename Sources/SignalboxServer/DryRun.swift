import FlagEvaluation
import HTTPServer
import Rollouts

extension Service {
    /// Says what a change would do, on a thread of its own: evaluating 100 000 units would hold up a worker.
    func dryRun(
        _ change: ChangeRequest, for parked: ParkedRequest, answer: @escaping @Sendable (Configuration) -> JSONObject
    ) {
        let before = snapshot
        Task.detached(priority: .utility) {
            do {
                let applied = try before.configuration.applying(
                    change.command, by: change.actor, reason: change.reason, at: change.now)
                var body = Self.answer(to: applied, showing: answer)
                body["dryRun"] = true
                let affected = applied.rows.compactMap { row -> String? in
                    if case .route(let route) = row { route.key } else { nil }
                }
                let after = Snapshot(applied.configuration)
                body["unitsChanged"] = .object(UnitsChanged(of: affected, from: before, to: after, at: change.now).json)
                parked.complete(with: .json(.object(body)))
            } catch {
                parked.complete(with: Failures.response(for: error))
            }
        }
    }
}

/// How many synthetic units get another renderer for one of some routes.
///
/// The units carry a targeting key and nothing else, so a cohort that asks for attributes contains none of them.
struct UnitsChanged {
    static let sample = 100_000
    private(set) var toMigrated = 0
    private(set) var toLegacy = 0

    init(of routes: [String], from before: Snapshot, to after: Snapshot, at now: Int64) {
        let pairs = routes.compactMap { key -> (CompiledRoute, CompiledRoute)? in
            guard let old = before.route(key), let new = after.route(key) else { return nil }
            return (old, new)
        }
        guard !pairs.isEmpty else { return }
        let scratch = EvaluationScratch()
        for number in 0..<Self.sample {
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
            "of": .integer(Int64(Self.sample)),
        ]
    }
}
