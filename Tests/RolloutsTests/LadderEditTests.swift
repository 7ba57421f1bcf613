import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `An edit of a ladder that is climbed` {
    @Test func `lets no step ask for less`() throws {
        let strict = step(5_000, hold: 24, units: 10, approval: true, monitored: true)
        let configuration = try Configuration.climbing(step(1_000), strict, step(9_000, hold: 2), from: 2)
        let looser = [
            step(5_000, hold: 23, units: 10, approval: true, monitored: true),
            step(5_000, hold: 24, units: 9, approval: true, monitored: true),
            step(5_000, hold: 24, units: 10, monitored: true), step(5_000, hold: 24, units: 10, approval: true),
        ]
        var fields = RouteFields()
        for step2 in looser {
            fields.plan = RolloutPlan(steps: [step(1_000), step2, step(9_000, hold: 2)])
            #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == .planWidens)
        }
        fields.plan = RolloutPlan(steps: [step(1_000), strict, step(9_000)])
        #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == .planWidens)
        fields.plan = RolloutPlan(steps: [step(1_000, hold: 9), strict, step(9_000, hold: 3), step(10_000)])
        #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields)) == nil)
    }

    @Test func `passes no step by, by taking steps away or by giving more before them`() throws {
        let configuration = try Configuration.climbing(
            step(1_000), step(5_000), step(50_000, approval: true), step(90_000))
        var fields = RouteFields()
        let ways = [
            [step(1_000)], [step(1_000), step(5_000)],
            // All that the approved step gave, and more, without its approval.
            [step(1_000), step(60_000), step(60_000, approval: true), step(90_000)],
            [step(1_000), step(90_000), step(90_000, approval: true), step(90_000)],
        ]
        for steps in ways {
            fields.plan = RolloutPlan(steps: steps)
            #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == .planWidens)
        }
        fields.plan = RolloutPlan(
            steps: [step(1_000), step(4_000), step(40_000, approval: true), step(90_000), step(100_000)])
        #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields)) == nil)
    }

    @Test func `asks for no less before legacy is disabled and deleted`() throws {
        var configuration = try Configuration.example(at: .defaultNew)
        var plan = try #require(configuration.routes["trips.edit"]?.plan)
        (plan.releasesBeforeDisabling, plan.legacyShareAtDeletion) = (3, 500)
        configuration.routes["trips.edit"]?.plan = plan
        var fields = RouteFields()
        for (releases, share, code) in [
            (2, 500, .planWidens), (3, 501, .planWidens), (3, 5_001, .invalidShare), (4, 499, nil),
        ] as [(Int, Int, RolloutError.Code?)] {
            (plan.releasesBeforeDisabling, plan.legacyShareAtDeletion) = (releases, share)
            fields.plan = plan
            #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == code)
        }
    }

    @Test(
        arguments: [
            // Almost nothing is put in before the approved step, and the approved share comes after it, free.
            ([step(1_000, hold: 24), step(1_001, hold: 24, approval: true), step(5_000), step(100_000)], true),
            ([step(1_000, hold: 24), step(3_000), step(5_000, hold: 24), step(100_000)], true),
            (
                [step(1_000, hold: 24), step(3_000, hold: 24, approval: true), step(4_999, hold: 24), step(100_000)],
                true
            ),
            // Nor behind a copy of the step before.
            ([step(1_000, hold: 24), step(1_000, hold: 24), step(4_999, hold: 24), step(100_000)], true),
            (
                [step(1_000, hold: 24), step(3_000, hold: 24, approval: true)]
                    + [step(5_000, hold: 24, approval: true), step(100_000)], false
            ),
        ] as [([RolloutPlan.Step], Bool)])
    func `may put steps in that ask for as much as the one they come before`(
        steps: [RolloutPlan.Step], isRefused: Bool
    ) throws {
        let configuration = try Configuration.climbing(
            step(1_000, hold: 24), step(5_000, hold: 24, approval: true), step(100_000), advance: .manual)
        var fields = RouteFields()
        fields.plan = RolloutPlan(steps: steps)
        #expect(
            configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == (isRefused ? .planWidens : nil))
    }
}
