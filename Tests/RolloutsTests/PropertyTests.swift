import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

/// Numbers that look random and are the same on every run.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// Units as clients make them: 22 characters that say nothing.
private func units(_ count: Int, seed: UInt64) -> [String] {
    var random = SplitMix(state: seed)
    let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    return (0..<count).map { _ in String((0..<22).map { _ in characters.randomElement(using: &random) ?? "A" }) }
}

/// How far observed counts lie from expected ones. Source: Pearson's chi-squared statistic.
private func chiSquared(_ observed: [Int], expected: [Double]) -> Double {
    var sum = 0.0
    for (count, mean) in zip(observed, expected) { sum += (Double(count) - mean) * (Double(count) - mean) / mean }
    return sum
}

@Suite struct `Whatever the plan` {
    private static let units = RolloutsTests.units(1_500, seed: 20_260_301)
    private static let people: [JSONObject] = [
        [:], ["team": "internal"], ["channel": "beta"], ["team": "internal", "channel": "beta"],
    ]

    /// A ladder at random that the rules accept: cohorts and everybody, never less than before.
    private static func plan(_ random: inout SplitMix) -> RolloutPlan {
        var steps: [RolloutPlan.Step] = []
        var exposure = Exposure()
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let cohort = ["internal", "beta", nil].randomElement(using: &random) ?? nil
            let step = RolloutPlan.Step(
                cohort: cohort, share: .random(in: exposure.share(of: cohort)...100_000, using: &random))
            exposure.add(step)
            steps.append(step)
        }
        return RolloutPlan(steps: steps, holdout: [0, 1, 2_000, 50_000].randomElement(using: &random) ?? 0)
    }

    private static func configuration(_ plan: RolloutPlan, _ stage: Stage, step: Int) throws -> Configuration {
        var configuration = try Configuration.example(at: stage, step: step)
        configuration.routes["trips.edit"]?.plan = plan
        return configuration
    }

    /// Units with migrated, and units in the holdout.
    private static func outcome(
        _ configuration: Configuration, _ attributes: JSONObject
    ) -> (migrated: Set<String>, heldOut: Set<String>) {
        let (flags, decisions) = (configuration.flagSet(), configuration.decisionFlagSet())
        let variant = { (set: FlagSet, unit: String) in
            set.evaluation(
                of: "trips.edit", for: EvaluationContext(targetingKey: unit, attributes: attributes), at: 0
            ).variant
        }
        return (
            Set(units.filter { variant(flags, $0) == "migrated" }),
            Set(units.filter { variant(decisions, $0) == "legacy by holdout" })
        )
    }

    @Test(arguments: 1...8) func `a step only adds units, and the holdout stays who it is`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed))
        let plan = Self.plan(&random)
        try plan.check()
        for attributes in Self.people {
            var before: Set<String> = []
            var heldOut: Set<String>?
            for place in 1...(plan.steps.count + 1) {
                let isLadder = place <= plan.steps.count
                let configuration = try Self.configuration(
                    plan, isLadder ? .partialRollout : .defaultNew, step: isLadder ? place : 0)
                let now = Self.outcome(configuration, attributes)
                #expect(now.migrated.isSuperset(of: before), "seed \(seed), step \(place) of \(plan)")
                #expect(now.heldOut == heldOut ?? now.heldOut, "seed \(seed), step \(place) of \(plan)")
                #expect(now.migrated.isDisjoint(with: now.heldOut))
                (before, heldOut) = (now.migrated, now.heldOut)
            }
            #expect(before.union(heldOut ?? []).count == Self.units.count)
        }
    }

    /// What is evaluated for a choice is the projection with the part that decided: one must say what the other does.
    @Test(arguments: 1...8) func `what decides says what the route as a flag gives`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed + 200))
        let plan = Self.plan(&random)
        for place in 1...(plan.steps.count + 1) {
            let isLadder = place <= plan.steps.count
            let configuration = try Self.configuration(
                plan, isLadder ? .partialRollout : .defaultNew, step: isLadder ? place : 0)
            let (flags, decisions) = (configuration.flagSet(), configuration.decisionFlagSet())
            for attributes in Self.people {
                for unit in [nil] + Self.units.prefix(200).map(Optional.some) {
                    let context = EvaluationContext(targetingKey: unit, attributes: attributes)
                    let given = flags.evaluation(of: "trips.edit", for: context, at: 0)
                    let decided = decisions.evaluation(of: "trips.edit", for: context, at: 0)
                    // Where nothing is held out and no ladder is climbed, nothing is to be decided.
                    guard !decisions.keys.isEmpty else { continue }
                    let decision = try #require(RouteDecision.all.first { $0.name == decided.variant })
                    #expect(decision.renderer.rawValue == given.variant, "seed \(seed), step \(place) of \(plan)")
                    #expect((decision.source == .stage ? .default : decided.reason) == given.reason)
                }
            }
        }
    }

    @Test(arguments: 1...4) func `down and up again reassigns nobody`(seed: Int) throws {
        var random = SplitMix(state: UInt64(seed + 100))
        let plan = Self.plan(&random)
        var configuration = try Self.configuration(plan, .partialRollout, step: 1)
        let before = Self.outcome(configuration, [:])
        for command: Command in [
            .move(.hold), .move(.resume(cause: nil, step: nil)), .move(.rollback),
            .move(.resume(cause: "fixed", step: nil)),
        ] { configuration = try configuration.after(command) }
        let after = Self.outcome(configuration, [:])
        #expect(after.migrated == before.migrated && after.heldOut == before.heldOut)
    }

    @Test func `an edit of anything else moves nobody`() throws {
        let plan = RolloutPlan(steps: [.init(cohort: nil, share: 30_000)], holdout: 2_000)
        let configuration = try Self.configuration(plan, .partialRollout, step: 1)
        var fields = RouteFields()
        fields.owner = "another team"
        fields.purpose = "another purpose"
        fields.requires = ["trips.list"]
        let edited = try configuration.after(.editRoute(key: "trips.edit", fields))
            .after(.editFlow(key: "trips", owner: "another team", journeyLifetimeSeconds: 600))
        #expect(Self.outcome(edited, [:]) == Self.outcome(configuration, [:]))
        // Keys are for people: a flow or a route that is called otherwise buckets as before.
        let route = try configuration.route("trips.edit")
        var renamed = RouteRollout(key: "journeys.change", flow: "journeys", createdAt: noon)
        (renamed.stage, renamed.step, renamed.plan) = (route.stage, route.step, route.plan)
        let flow = Flow(id: Flow.trips.id, key: "journeys", owner: "x")
        #expect(renamed.projection(in: flow)["targeting"] == route.projection(in: .trips)["targeting"])
    }
}

@Suite struct `Buckets` {
    private static let units = RolloutsTests.units(100_000, seed: 7)

    private static func positions(_ salt: String) -> [Int] {
        units.map { Int(Bucket(hashing: salt + $0).position(among: 100_000)) }
    }

    /// 99 degrees of freedom: chance gives more than 148.2 once in a thousand.
    @Test(arguments: [Flow.trips.id + "/", Flow.orders.id + "/", Flow.trips.id + "/holdout/"])
    func `are filled evenly`(salt: String) {
        var cells = [Int](repeating: 0, count: 100)
        for position in Self.positions(salt) { cells[position / 1_000] += 1 }
        let statistic = chiSquared(cells, expected: Array(repeating: 1_000, count: 100))
        #expect(statistic < 148.2, "chi-squared \(statistic)")
    }

    /// Whoever is first in one flow is nowhere in particular in another, nor in the holdout. 81 degrees of freedom: chance
    /// gives more than 126.1 once in a thousand.
    @Test(
        arguments: [
            (Flow.trips.id + "/", Flow.orders.id + "/"), (Flow.trips.id + "/", Flow.trips.id + "/holdout/"),
            (Flow.trips.id + "/holdout/", Flow.orders.id + "/holdout/"),
        ])
    func `of one flow tell nothing of another`(first: String, second: String) {
        var cells = [Int](repeating: 0, count: 100)
        for (left, right) in zip(Self.positions(first), Self.positions(second)) {
            cells[left / 10_000 * 10 + right / 10_000] += 1
        }
        let rows = (0..<10).map { row in (0..<10).reduce(0) { $0 + cells[row * 10 + $1] } }
        let columns = (0..<10).map { column in (0..<10).reduce(0) { $0 + cells[$1 * 10 + column] } }
        let expected = (0..<100).map { Double(rows[$0 / 10]) * Double(columns[$0 % 10]) / Double(Self.units.count) }
        let statistic = chiSquared(cells, expected: expected)
        #expect(statistic < 126.1, "chi-squared \(statistic)")
    }
}
