import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func edit(holdout: Int, _ steps: [RolloutPlan.Step] = RolloutPlan.ladder.steps) -> Command {
    var fields = RouteFields()
    fields.plan = RolloutPlan(steps: steps, holdout: holdout)
    return .editRoute(key: "trips.edit", fields)
}

private func example(
    holdout: Int, at stage: Stage, _ status: RouteStatus = .active, step: Int = 0
) throws -> Configuration {
    var configuration = try Configuration.example(at: stage, status, step: step)
    configuration.routes["trips.edit"]?.plan?.holdout = holdout
    return configuration
}

@Suite struct `A holdout` {
    private static let units = (0..<2_000).map { "unit-\($0)" }

    private func variants(_ configuration: Configuration, decisions: Bool = false) -> [String: String?] {
        let flags = decisions ? configuration.decisionFlagSet() : configuration.flagSet()
        return Dictionary(
            uniqueKeysWithValues: Self.units.map { unit in
                let context = EvaluationContext(targetingKey: unit, attributes: ["team": "internal"])
                return (unit, flags.evaluation(of: "trips.edit", for: context, at: 0).variant)
            })
    }

    private var members: Set<String> {
        Set(
            Self.units.filter {
                Bucket(hashing: Flow.trips.id + "/holdout/" + $0).position(among: 100_000) < 20_000
            })
    }

    @Test func `is kept on legacy on every step and in defaultNew`() throws {
        for (stage, step) in [
            (.partialRollout, 1), (.partialRollout, 2), (.partialRollout, 3), (.partialRollout, 4), (.defaultNew, 0),
        ] as [(Stage, Int)] {
            for status in [RouteStatus.active, .held] {
                let variants = try variants(example(holdout: 20_000, at: stage, status, step: step))
                #expect(Set(variants.filter { $0.value == "legacy" }.keys) == members, "\(stage), step \(step)")
            }
        }
        #expect((300...500).contains(members.count))
    }

    @Test(arguments: [Stage.oldDisabled, .oldDeleted]) func `ends where legacy is no choice any more`(stage: Stage)
        throws
    {
        #expect(try variants(example(holdout: 20_000, at: stage)).values.allSatisfy { $0 == "migrated" })
    }

    @Test func `is told apart from shares and stages`() throws {
        for (stage, step) in [(.partialRollout, 3), (.defaultNew, 0)] as [(Stage, Int)] {
            let decisions = try variants(example(holdout: 20_000, at: stage, step: step), decisions: true)
            #expect(Set(decisions.filter { $0.value == "legacy by holdout" }.keys) == members)
            let others = Set(decisions.filter { $0.value != "legacy by holdout" }.values)
            #expect(others == [stage == .defaultNew ? "migrated by stage" : "migrated by cohort"])
        }
    }

    @Test func `does not catch those without a key`() throws {
        let flags = try example(holdout: 100_000, at: .defaultNew).flagSet()
        #expect(
            flags.evaluation(of: "trips.edit", for: EvaluationContext(targetingKey: nil), at: 0).variant == "migrated")
    }

    @Test(
        arguments: [
            // where nothing decides yet it is anybody's to plan
            (Stage.compatible, RouteStatus.active, 0, 2_000, 5_000, nil),
            (.partialRollout, .rolledBack, 0, 2_000, 5_000, nil), (.compatible, .island, 0, 2_000, 0, nil),
            // on the ladder it is fixed
            (.partialRollout, .active, 2, 2_000, 2_001, .planShrinks),
            (.partialRollout, .held, 2, 2_000, 1_999, .planWidens), (.partialRollout, .active, 2, 2_000, 2_000, nil),
            // once all gates are passed it may be given up, and not taken back
            (.defaultNew, .active, 0, 2_000, 500, nil), (.defaultNew, .active, 0, 2_000, 0, nil),
            (.defaultNew, .held, 0, 2_000, 2_500, .planShrinks), (.oldDisabled, .active, 0, 2_000, 9_000, nil),
        ] as [(Stage, RouteStatus, Int, Int, Int, RolloutError.Code?)])
    func `is edited as far as it moves nobody in silence`(
        stage: Stage, status: RouteStatus, step: Int, old: Int, new: Int, code: RolloutError.Code?
    ) throws {
        let configuration = try example(holdout: old, at: stage, status, step: step)
        #expect(configuration.refusal(of: edit(holdout: new))?.code == code)
    }

    @Test(arguments: [(Stage.partialRollout, 2), (.defaultNew, 0)])
    func `is not begun where units have seen migrated`(stage: Stage, step: Int) throws {
        let configuration = try Configuration.example(at: stage, step: step)
        #expect(configuration.refusal(of: edit(holdout: 1))?.code == .planShrinks)
    }

    @Test(arguments: [-1, 100_001, .max]) func `is a share`(holdout: Int) throws {
        #expect(try Configuration.example.refusal(of: edit(holdout: holdout))?.code == .invalidShare)
    }

    @Test func `is written with the plan and may be left out when it is read`() throws {
        let plan = RolloutPlan(steps: [.init(cohort: nil, share: 5)], holdout: 2_000)
        #expect(try RolloutPlan(json: plan.json) == plan)
        var old = plan.json
        old["holdout"] = nil
        #expect(try RolloutPlan(json: old).holdout == 0)
    }
}
