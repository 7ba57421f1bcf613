import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func plan(_ steps: (String?, Int)...) -> RolloutPlan {
    RolloutPlan(steps: steps.map { RolloutPlan.Step(cohort: $0.0, share: $0.1) })
}

private func edit(_ plan: RolloutPlan) -> Command {
    var fields = RouteFields()
    fields.plan = plan
    return .editRoute(key: "trips.edit", fields)
}

@Suite struct `A plan` {
    @Test(
        arguments: [
            (plan(), .invalidPlan), (plan((nil, 0)), .invalidPlan), (plan(("beta", 0), (nil, 0)), .invalidPlan),
            (RolloutPlan(steps: Array(repeating: .init(cohort: nil, share: 1), count: 51)), .invalidPlan),
            (plan((nil, -1)), .invalidShare), (plan((nil, 100_001)), .invalidShare), (plan((nil, .max)), .invalidShare),
            (plan(("nobody", 5)), .cohortNotFound), (plan((nil, 500), (nil, 499)), .planShrinks),
            (plan(("beta", 500), (nil, 1_000), ("beta", 999)), .planShrinks),
            (plan((nil, 1_000), ("beta", 10)), .planShrinks),
        ] as [(RolloutPlan, RolloutError.Code)])
    func `that cannot be climbed is refused`(plan: RolloutPlan, code: RolloutError.Code) throws {
        #expect(try Configuration.example.refusal(of: edit(plan))?.code == code)
    }

    @Test(arguments: [
        plan((nil, 0), (nil, 1)), plan((nil, 100_000)), plan((nil, 500), (nil, 500)),
        plan(("internal", 100_000), (nil, 1)),
        RolloutPlan(steps: (1...50).map { .init(cohort: nil, share: $0) }),
    ])
    func `that only adds is accepted`(plan: RolloutPlan) throws {
        #expect(try Configuration.example.after(edit(plan)).route("trips.edit").plan == plan)
    }

    @Test(
        arguments: [
            // the plan at whose step 2 the route stands is the ladder: internal 100 000, beta 50 000
            (plan(("internal", 100_000), ("beta", 49_999)), .planShrinks), (plan(("internal", 100_000)), .planShrinks),
            (plan(("beta", 50_000), ("beta", 60_000)), .planShrinks),
            (plan(("internal", 100_000), ("beta", 50_001)), .planWidens),
            (plan(("internal", 100_000), (nil, 50_000)), .planWidens),
            (plan(("beta", 50_000), ("internal", 100_000), (nil, 7)), nil),
            (plan(("internal", 100_000), ("beta", 50_000), ("beta", 70_000)), nil),
        ] as [(RolloutPlan, RolloutError.Code?)])
    func `is not edited under the step that decides now`(plan: RolloutPlan, code: RolloutError.Code?) throws {
        for status in [RouteStatus.active, .held] {
            let configuration = try Configuration.example(at: .partialRollout, status, step: 2)
            #expect(configuration.refusal(of: edit(plan))?.code == code)
        }
    }

    @Test(arguments: [(Stage.compatible, RouteStatus.active), (.partialRollout, .rolledBack), (.defaultNew, .active)])
    func `is edited freely where no step decides`(stage: Stage, status: RouteStatus) throws {
        let configuration = try Configuration.example(at: stage, status)
        #expect(configuration.refusal(of: edit(plan((nil, 1)))) == nil)
    }

    @Test func `keeps a step healthy only while all up to it are the same`() throws {
        var configuration = try Configuration.example(at: .partialRollout, .rolledBack)
        configuration.routes["trips.edit"]?.highestHealthyStep = 4
        let edited = try configuration.after(edit(plan(("internal", 100_000), ("beta", 60_000), (nil, 70_000))))
        #expect(try edited.route("trips.edit").highestHealthyStep == 1)
    }
}

@Suite struct `The exposure at a step` {
    @Test func `is the union of what all steps up to it give`() {
        let exposure = RolloutPlan.ladder.exposure(atStep: 3)
        #expect(exposure.share(of: "internal") == 100_000)
        #expect(exposure.share(of: "beta") == 50_000)
        #expect(exposure.share(of: nil) == 5_000)
        #expect(exposure.share(of: "others") == 5_000)
        // Whatever a stored plan says, a later step takes nothing away.
        let falling = plan(("beta", 20_000), ("beta", 10_000), (nil, 5_000), (nil, 4_000)).exposure(atStep: 4)
        #expect(falling.share(of: "beta") == 20_000 && falling.share(of: nil) == 5_000)
    }

    @Test func `asks the cohort with the largest share first, and only those that get more than everybody`() {
        let plan = plan(("beta", 20_000), ("internal", 90_000), ("small", 500), (nil, 1_000), ("beta", 30_000))
        #expect(plan.exposure(atStep: 5).branches.map(\.cohort) == ["internal", "beta"])
        #expect(plan.exposure(atStep: 5).branches.map(\.share) == [90_000, 30_000])
        #expect(plan.exposure(atStep: 3).branches.map(\.cohort) == ["internal", "beta", "small"])
    }

    @Test(arguments: [-1, 0]) func `is nobody below the ladder`(step: Int) {
        #expect(RolloutPlan.ladder.exposure(atStep: step) == Exposure())
    }
}
