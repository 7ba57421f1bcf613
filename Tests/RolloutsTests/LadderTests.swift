import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private let hour: Int64 = 3_600_000

/// A step of that share, which asks for that.
func step(
    _ share: Int, hold hours: Int64 = 0, units: Int = 0, approval: Bool = false, monitored: Bool = false
) -> RolloutPlan.Step {
    var step = RolloutPlan.Step(cohort: nil, share: share)
    step.holdSeconds = hours * 3_600
    step.minimumUnits = units
    step.needsApproval = approval
    step.isMonitored = monitored
    return step
}

extension Configuration {
    /// The example at a step of such a ladder since noon.
    static func climbing(
        _ steps: RolloutPlan.Step..., from number: Int = 1, advance: RolloutPlan.Advance = .automatic
    ) throws -> Configuration {
        var configuration = try example(at: .partialRollout, step: number, since: noon)
        var plan = RolloutPlan(steps: steps)
        plan.advance = advance
        configuration.routes["trips.edit"]?.plan = plan
        configuration.routes["trips.edit"]?.stepRevision = stepRevision
        return configuration
    }

    private static let stepRevision: Int64 = 7

    /// Units that were counted at the present step.
    fileprivate static func facts(units: Int?, stepRevision: Int64 = stepRevision) -> Facts {
        Facts(units: units.map { ["trips.edit": StepUnits(stepRevision: stepRevision, count: $0)] })
    }

    fileprivate func failing(
        at now: Int64, toward move: NextMove? = nil, _ facts: Facts = Facts()
    ) throws -> [String] {
        let route = try route("trips.edit")
        guard let move = move ?? route.nextMove else { return [] }
        return gates(of: route, toward: move, facts: facts, at: now).filter(\.isFailing).map(\.name)
    }

    fileprivate func due(at now: Int64, lastLook: Int64? = nil, units: Int? = nil) throws -> Int? {
        return dueStep(of: try route("trips.edit"), facts: Self.facts(units: units), lastLook: lastLook ?? now, at: now)
    }
}

@Suite struct `A step of a ladder` {
    @Test func `is left only when it was held for its time`() throws {
        let configuration = try Configuration.climbing(step(1_000, hold: 24), step(5_000), advance: .manual)
        #expect(try configuration.failing(at: noon + 24 * hour - 1) == ["heldLongEnough"])
        #expect(try configuration.failing(at: noon + 24 * hour).isEmpty)
        // A clock that was set back helps nobody.
        #expect(try configuration.failing(at: noon - hour) == ["heldLongEnough"])
        let route = try configuration.route("trips.edit")
        let gate = configuration.gates(of: route, toward: .step(2), at: noon + 20 * hour).first
        #expect(gate?.passesAt == noon + 24 * hour)
        #expect(gate?.verdict == .fail("20 h of 24 h at this step") && gate?.remedy == "Wait 4 h more.")
        #expect(configuration.refusal(of: .advance, at: noon + hour)?.code == .gateNotMet)
        #expect(try configuration.after(.advance, at: noon + 24 * hour).route("trips.edit").step == 2)
    }

    @Test(arguments: [(nil, true), (0, true), (499, true), (500, false), (900, false)] as [(Int?, Bool)])
    func `is left only when enough units were given migrated, as far as they are counted`(
        units: Int?, fails: Bool
    ) throws {
        let configuration = try Configuration.climbing(step(1_000, units: 500), step(5_000), advance: .manual)
        let facts = Configuration.facts(units: units)
        #expect(try configuration.failing(at: noon, facts) == (fails ? ["minimumUnits"] : []))
    }

    /// Two advances at once: the second is judged at another step than its units were counted for.
    @Test func `is not left on the units of another step`() throws {
        let configuration = try Configuration.climbing(step(1_000, units: 500), step(5_000), advance: .manual)
        let facts = Configuration.facts(units: 900, stepRevision: 6)
        #expect(try configuration.failing(at: noon, facts) == ["minimumUnits"])
    }

    @Test func `is entered only with an approval for exactly it`() throws {
        let configuration = try Configuration.climbing(
            step(1_000), step(5_000, approval: true), step(9_000, approval: true), advance: .manual)
        let bob = Actor(name: "bob", role: .approver, keyID: "k-bob")
        #expect(configuration.refusal(of: .advance)?.code == .gateNotMet)
        #expect(configuration.refusal(of: .move(.approve), by: eve)?.code == .notAllowed)
        let approved = try configuration.after(.move(.approve), by: bob)
        let approval = try approved.route("trips.edit").approval
        #expect(approval == StepApproval(step: 2, by: "bob", at: noon, hash: approval?.hash))
        #expect(try approved.isRepeat(.move(.approve), by: ana))
        let json = try approved.route("trips.edit").json
        #expect(try RouteRollout(json: json) == approved.route("trips.edit"))
        // Any move ends it: the next step wants its own.
        let moved = try approved.after(.advance)
        #expect(try moved.route("trips.edit").step == 2 && moved.route("trips.edit").approval == nil)
        #expect(moved.refusal(of: .advance)?.code == .gateNotMet)
        for verb in [Verb.hold, .rollback, .retreat, .rollBack(level: nil, scope: RollbackScope(app: "app"))] {
            #expect(try approved.after(.move(verb)).route("trips.edit").approval == nil, "\(verb)")
        }
    }

    @Test func `that asks for no approval is not approved, and an approval ends with another plan`() throws {
        let plain = try Configuration.climbing(step(1_000), step(5_000))
        #expect(plain.refusal(of: .move(.approve))?.code == .illegalMove)
        var fields = RouteFields()
        fields.plan = RolloutPlan(steps: [step(1_000), step(6_000, approval: true)])
        let configuration = try Configuration.climbing(step(1_000), step(5_000, approval: true))
            .after(.move(.approve)).after(.editRoute(key: "trips.edit", fields))
        #expect(try configuration.route("trips.edit").approval == nil)
    }

    @Test func `that is the first asks for its approval before the ladder is entered`() throws {
        var configuration = try Configuration.example(at: .compatible)
        configuration.routes["trips.edit"]?.plan = RolloutPlan(steps: [step(1_000, approval: true)])
        #expect(try configuration.failing(at: noon).contains("approval"))
        #expect(try !configuration.after(.move(.approve)).failing(at: noon).contains("approval"))
    }

    @Test func `has bounds, and a hold time in an automatic ladder`() throws {
        func refusal(_ steps: RolloutPlan.Step..., advance: RolloutPlan.Advance = .manual) throws -> RolloutError.Code?
        {
            var fields = RouteFields()
            var plan = RolloutPlan(steps: steps)
            plan.advance = advance
            fields.plan = plan
            return try Configuration.example.refusal(of: .editRoute(key: "trips.edit", fields))?.code
        }
        #expect(try refusal(step(1, hold: 90 * 24 + 1)) == .invalidField)
        #expect(try refusal(step(1, hold: -1)) == .invalidField)
        #expect(try refusal(step(1, units: 100_001)) == .invalidField)
        #expect(try refusal(step(1, units: -1)) == .invalidField)
        #expect(try refusal(step(1), step(2), advance: .automatic) == .invalidPlan)
        #expect(try refusal(step(1, hold: 1), step(2), advance: .automatic) == nil)
    }

    @Test func `in a plan of an earlier release asks for nothing`() throws {
        let plan = try RolloutPlan(json: ["steps": [["cohort": nil, "share": 5]], "holdout": 0])
        #expect(plan == RolloutPlan(steps: [step(5)]) && plan.advance == .manual)
        #expect(plan.json == ["steps": [["cohort": nil, "share": 5]], "holdout": 0])
        var full = RolloutPlan(steps: [step(5, hold: 1, units: 2, approval: true, monitored: true)])
        full.advance = .automatic
        #expect(try RolloutPlan(json: full.json) == full)
    }
}

@Suite struct `An automatic ladder` {
    private func ladder() throws -> Configuration {
        try .climbing(step(1_000, hold: 1), step(5_000, hold: 2), step(9_000, hold: 4), step(20_000))
    }

    @Test func `goes to the next step when that is due, and not before`() throws {
        let configuration = try ladder()
        #expect(try configuration.due(at: noon + hour - 1) == nil)
        #expect(try configuration.due(at: noon + hour) == 2)
        let climbed = try configuration.after(.climb(route: "trips.edit", lastLook: noon), at: noon + hour)
        let route = try climbed.route("trips.edit")
        #expect(route.step == 2 && route.stepSince == noon + hour && route.highestHealthyStep == 1)
        #expect(route.stepRevision == climbed.revision)
        #expect(try climbed.isRepeat(.climb(route: "trips.edit", lastLook: noon), at: noon + hour))
    }

    @Test func `is climbed by the engine with a reason, as an advance`() throws {
        let applied = try ladder().applying(
            .climb(route: "trips.edit", lastLook: noon), by: .engine, reason: "due", at: noon + hour)
        #expect(applied.audit?.actor.name == "engine" && applied.audit?.action == "route.advance")
    }

    @Test(
        arguments: [
            // hours after noon, last look in hours after noon, expected step
            (1, 0, 2), (2, 0, 2), (3, 0, 3), (6, 0, 3), (7, 0, 4), (700, 0, 4), (700, 699, 2), (4, 2, 3), (3, 2, 2),
            (700, 800, 2),
        ] as [(Int64, Int64, Int?)])
    func `folds after an outage what was overdue, and only that`(now: Int64, lastLook: Int64, step: Int?) throws {
        #expect(try ladder().due(at: noon + now * hour, lastLook: noon + lastLook * hour) == step)
    }

    @Test func `has a hold time that no clock comes to the end of`() throws {
        let endless = try Configuration.climbing(step(1_000, hold: .max / 3_600), step(5_000))
        #expect(try endless.due(at: .max - 1) == nil)
        #expect(try endless.due(at: .max) == 2)
    }

    @Test func `tells in the audit which steps it folded`() throws {
        let audit = try #require(
            try ladder().audit(of: .climb(route: "trips.edit", lastLook: noon), by: .engine, at: noon + 7 * hour))
        #expect(audit.after["folded"] == [2, 3])
        var later = try ladder().after(.climb(route: "trips.edit", lastLook: noon), at: noon + 7 * hour)
        let isUndone = later.undo(subject: audit.subject, before: audit.before, after: audit.after)
        #expect(isUndone)
        #expect(try later.route("trips.edit") == ladder().route("trips.edit"))
    }

    @Test func `folds nothing past a step that wants a person, monitoring or units`() throws {
        let far = noon + 1_000 * hour
        let approval = try Configuration.climbing(
            step(1, hold: 1), step(2, hold: 1, approval: true), step(3, hold: 1), step(4))
        #expect(try approval.due(at: far, lastLook: noon) == nil)
        #expect(try approval.after(.move(.approve)).due(at: far, lastLook: noon) == 2)
        let behind = try Configuration.climbing(
            step(1, hold: 1), step(2, hold: 1), step(3, hold: 1, approval: true), step(4))
        #expect(try behind.due(at: far, lastLook: noon) == 2)
        let monitored = try Configuration.climbing(
            step(1, hold: 1), step(2, hold: 1, monitored: true), step(3, hold: 1), step(4))
        #expect(try monitored.due(at: far, lastLook: noon) == 2)
        let units = try Configuration.climbing(step(1, hold: 1), step(2, hold: 1, units: 5), step(3, hold: 1), step(4))
        #expect(try units.due(at: far, lastLook: noon, units: 500) == 2)
    }

    @Test func `waits at a monitored step for whoever judges`() throws {
        let monitored = try Configuration.climbing(step(1, hold: 1, monitored: true), step(2, hold: 1), step(3))
        #expect(try monitored.due(at: noon + 10 * hour) == nil)
        // A person may go on: what is unknown does not block.
        #expect(try monitored.after(.advance, at: noon + 10 * hour).route("trips.edit").step == 2)
    }

    @Test func `waits for units, and is not led past a step by the time that they took`() throws {
        let units = try Configuration.climbing(step(1, hold: 1, units: 5), step(2, hold: 1), step(3))
        #expect(try units.due(at: noon + 10 * hour) == nil)
        #expect(try units.due(at: noon + 10 * hour, units: 4) == nil)
        #expect(try units.due(at: noon + 10 * hour, units: 5) == 2)
    }

    @Test(arguments: [RouteStatus.held, .rolledBack, .island])
    func `stays where a person stopped it, and by default is manual`(status: RouteStatus) throws {
        var configuration = try ladder()
        #expect(try configuration.due(at: noon + 10 * hour) == 2)
        configuration.routes["trips.edit"]?.status = status
        #expect(try configuration.due(at: noon + 10 * hour) == nil)
        configuration.routes["trips.edit"]?.status = .active
        configuration.routes["trips.edit"]?.plan?.advance = .manual
        #expect(try configuration.due(at: noon + 10 * hour) == nil)
    }

    @Test func `never leaves the ladder, nor enters it`() throws {
        var configuration = try ladder()
        configuration.routes["trips.edit"]?.step = 4
        #expect(try configuration.due(at: noon + 1_000 * hour, lastLook: noon) == nil)
        configuration.routes["trips.edit"]?.step = 0
        #expect(try configuration.due(at: noon + 1_000 * hour, lastLook: noon) == nil)
        configuration.routes["trips.edit"]?.stage = .compatible
        #expect(try configuration.due(at: noon + 1_000 * hour, lastLook: noon) == nil)
    }
}

@Suite struct `The order between routes` {
    /// trips.list requires trips.edit; both complete and at those stages.
    private func pair(_ root: Stage, _ child: Stage, _ status: RouteStatus = .active) throws -> Configuration {
        var configuration = try Configuration.example(at: child, status, step: child == .partialRollout ? 1 : 0)
        configuration.routes["trips.list"]?.stage = root
        configuration.routes["trips.list"]?.step = root == .partialRollout ? 1 : 0
        configuration.routes["trips.list"]?.requires = ["trips.edit"]
        return configuration
    }

    private func failsOrder(_ configuration: Configuration, _ key: String = "trips.list") throws -> Bool {
        let route = try configuration.route(key)
        let move = try #require(route.nextMove)
        return configuration.gates(of: route, toward: move, at: noon).contains {
            ["requires", "excludes"].contains($0.name) && $0.isFailing
        }
    }

    @Test func `keeps a root from every stage that its children have not reached`() throws {
        for (root, next) in zip(Stage.allCases, Stage.allCases.dropFirst()) {
            for child in Stage.allCases where child != .notStarted {
                let configuration = try pair(root, child)
                let target = root == .partialRollout ? Stage.partialRollout : next
                #expect(try failsOrder(configuration) == (child < target), "\(root) with \(child)")
            }
        }
    }

    @Test(arguments: [RouteStatus.rolledBack, .island])
    func `keeps a root from going on while a child gives legacy`(status: RouteStatus) throws {
        #expect(try failsOrder(pair(.compatible, .partialRollout, status)))
        #expect(try failsOrder(pair(.partialRollout, .partialRollout, status)))
        #expect(try !failsOrder(pair(.notStarted, .compatible, status)))
    }

    @Test func `never keeps a child from being stopped, and keeps its root where it is then`() throws {
        let configuration = try pair(.partialRollout, .partialRollout)
        #expect(try !failsOrder(configuration))
        let stopped = try configuration.after(.move(.rollback))
        #expect(stopped.routes["trips.edit"]?.status == .rolledBack)
        #expect(try failsOrder(stopped))
    }

    @Test func `keeps two that exclude each other from being in rollout together, whichever says so`() throws {
        for says in ["trips.edit", "trips.list"] {
            var configuration = try pair(.compatible, .partialRollout)
            configuration.routes["trips.list"]?.requires = []
            configuration.routes[says]?.excludes = [says == "trips.edit" ? "trips.list" : "trips.edit"]
            #expect(try failsOrder(configuration))
            let stopped = try configuration.after(.move(.rollback))
            #expect(try !failsOrder(stopped))
        }
    }

    @Test func `names other routes that there are`() throws {
        let configuration = try Configuration.example
        for (excludes, code) in [
            (["trips.edit"], .invalidField), (["nobody"], .routeNotFound),
            (["trips.list", "trips.list"], .invalidField),
        ] as [([String], RolloutError.Code)] {
            var fields = RouteFields()
            fields.excludes = excludes
            #expect(configuration.refusal(of: .editRoute(key: "trips.edit", fields))?.code == code)
        }
        var fields = RouteFields()
        fields.excludes = ["trips.list"]
        let route = try configuration.after(.editRoute(key: "trips.edit", fields)).route("trips.edit")
        #expect(route.excludes == ["trips.list"])
        #expect(try RouteRollout(json: route.json) == route)
    }
}
