import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func override(
    _ unit: String = "u-1", _ renderer: Renderer = .migrated, route: String = "trips.edit", owner: String = "qa",
    until expiresAt: Int64 = noon + day
) -> Override {
    Override(
        id: Override.ID(route: route, unit: unit), renderer: renderer, owner: owner, reason: "a test",
        expiresAt: expiresAt)
}

@Suite struct `An override` {
    @Test(arguments: Stage.allCases, RouteStatus.allCases)
    func `is set where it counts, and nowhere else`(stage: Stage, status: RouteStatus) throws {
        let configuration = try Configuration.example(at: stage, status)
        let counts = [.compatible, .partialRollout, .defaultNew].contains(stage) && [.active, .held].contains(status)
        #expect(configuration.refusal(of: .setOverride(override()))?.code == (counts ? nil : .overrideNotAllowed))
    }

    @Test(
        arguments: [
            (override(route: "nowhere"), .routeNotFound), (override(""), .invalidField),
            (override(String(repeating: "u", count: 257)), .invalidField), (override(owner: " "), .invalidField),
            (override(until: noon), .invalidField), (override(until: noon + 999), .invalidField),
            (override(until: noon + 30 * day + 1_000), .invalidField), (override(until: .max), .invalidField),
            (override(until: .min), .invalidField), (override(until: noon + 30 * day), nil),
            (override("ä \"quoted\" unit", until: noon + 1_000), nil),
        ] as [(Override, RolloutError.Code?)])
    func `names an owner, a unit and an end within 30 days`(override: Override, code: RolloutError.Code?) throws {
        let configuration = try Configuration.example(at: .compatible)
        #expect(configuration.refusal(of: .setOverride(override))?.code == code)
    }

    @Test func `is changed by setting it again, and repeated by setting the same`() throws {
        let set = try Configuration.example(at: .compatible).after(.setOverride(override()))
        #expect(try set.applying(.setOverride(override()), by: ana, reason: "again", at: noon).audit == nil)
        let audit = try #require(try set.audit(of: .setOverride(override("u-1", .legacy))))
        #expect((audit.action, audit.subject) == ("override.set", "override/trips.edit"))
        #expect(audit.before["renderer"] == "migrated" && audit.after["renderer"] == "legacy")
    }

    @Test func `is cleared by itself or with all of its route`() throws {
        var configuration = try Configuration.example(at: .compatible)
        for unit in ["u-1", "u-2", "u-3"] { configuration = try configuration.after(.setOverride(override(unit))) }
        let one = try configuration.after(.clearOverrides(route: "trips.edit", unit: "u-2"))
        #expect(one.overrides(of: "trips.edit").map(\.id.unit) == ["u-1", "u-3"])
        #expect(try one.isRepeat(.clearOverrides(route: "trips.edit", unit: "u-2")))
        #expect(try one.after(.clearOverrides(route: "trips.edit", unit: nil)).overrides.isEmpty)
        #expect(configuration.refusal(of: .clearOverrides(route: "nowhere", unit: nil))?.code == .routeNotFound)
    }

    @Test func `that has ended makes room when the next is set`() throws {
        var configuration = try Configuration.example(at: .compatible).after(.setOverride(override()))
        configuration = try configuration.after(
            .setOverride(override("u-2", until: noon + 9 * day)), at: noon + 2 * day)
        #expect(configuration.overrides(of: "trips.edit").map(\.id.unit) == ["u-2"])
    }

    @Test func `is one of at most 500 of a route`() throws {
        var configuration = try Configuration.example(at: .compatible)
        for number in 0..<Configuration.mostOverrides { configuration.store(.override(override("u-\(number)"))) }
        #expect(configuration.refusal(of: .setOverride(override("one more")))?.code == .overrideNotAllowed)
        #expect(configuration.refusal(of: .setOverride(override("u-7", .legacy))) == nil)
    }

    @Test func `ends with a rollback in compatible, and only there`() throws {
        let set = try Configuration.example(at: .compatible).after(.setOverride(override()))
        #expect(try set.after(.move(.rollback)).overrides.isEmpty)
        #expect(try set.after(.move(.rollback, .flow("trips"))).overrides.isEmpty)
        let audit = try #require(try set.audit(of: .move(.rollback)))
        #expect(audit.before["overrides"]?.array?.count == 1)
        var onLadder = set
        onLadder.routes["trips.edit"]?.stage = .partialRollout
        #expect(try onLadder.after(.move(.rollback)).overrides.count == 1)
    }
}

@Suite struct `A unit with an override` {
    private static let places: [(Stage, RouteStatus, Int)] = [
        (.notStarted, .active, 0), (.compatible, .active, 0), (.partialRollout, .active, 1),
        (.partialRollout, .held, 3),
        (.partialRollout, .rolledBack, 0), (.compatible, .island, 0), (.defaultNew, .active, 0),
        (.defaultNew, .held, 0), (.oldDisabled, .active, 0), (.oldDeleted, .active, 0),
    ]

    /// The flag and the choice must not say two things, whoever evaluates the flag alone: at the second before the end,
    /// and from the end on.
    @Test(arguments: places, Renderer.allCases)
    func `gets from the flag what the choice says`(place: (Stage, RouteStatus, Int), renderer: Renderer) throws {
        var configuration = try Configuration.example(at: place.0, place.1, step: place.2)
        configuration.routes["trips.edit"]?.plan?.holdout = 40_000
        configuration.store(.override(override("u-1", renderer)))
        let route = try configuration.route("trips.edit")
        let flags = configuration.flagSet()
        for (unit, now) in [("u-1", noon), ("u-1", noon + day - 1), ("u-1", noon + day), ("u-2", noon)] {
            let context = EvaluationContext(targetingKey: unit)
            let alone = flags.evaluation(of: "trips.edit", for: context, at: now / 1_000).variant
            let holds = unit == "u-1" && now < noon + day
            let input = ChoiceInput(
                stage: route.stage, status: route.status, override: holds ? renderer : nil,
                flag: FlagDecision(Renderer(rawValue: alone ?? "") ?? .legacy, by: .stage))
            let choice = choose(input)?.choice
            #expect(choice?.renderer.rawValue == alone, "\(unit) at \(now)")
            if holds, route.obeysOverrides { #expect(alone == renderer.rawValue) }
        }
    }

    @Test func `is no longer asked for once it has ended`() throws {
        let set = try Configuration.example(at: .compatible).after(.setOverride(override()))
        let flags = set.flagSet()
        let context = EvaluationContext(targetingKey: "u-1")
        #expect(flags.evaluation(of: "trips.edit", for: context, at: noon / 1_000).variant == "migrated")
        #expect(flags.evaluation(of: "trips.edit", for: context, at: (noon + day) / 1_000).variant == "legacy")
        #expect(flags.evaluation(of: "trips.list", for: context, at: noon / 1_000).variant == "legacy")
    }
}
