import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private let hour: Int64 = 3_600_000

extension Configuration {
    /// The example on a ladder of three steps, at the second since noon; each is held for 24 hours.
    fileprivate static func onLadder(
        step: Int = 2, advance: RolloutPlan.Advance = .manual,
        _ edit: (inout [RolloutPlan.Step]) -> Void = { _ in }
    ) throws -> Configuration {
        var configuration = try example(at: .partialRollout, step: step, since: noon)
        var steps = [1_000, 5_000, 100_000].map { RolloutPlan.Step(cohort: nil, share: $0) }
        for index in steps.indices { steps[index].holdSeconds = 86_400 }
        edit(&steps)
        var plan = RolloutPlan(steps: steps)
        plan.advance = advance
        configuration.routes["trips.edit"]?.plan = plan
        configuration.routes["trips.edit"]?.stepRevision = 7
        return configuration
    }

    /// What is told of it when so many units have been given migrated at the step.
    fileprivate func lines(at now: Int64 = noon + day, units: Int = 0, facts: Facts? = nil) -> [String] {
        let counted = Facts(
            units: ["trips.edit": StepUnits(stepRevision: 7, count: units)], evidence: Facts.example.evidence)
        return programmeStatus(facts: facts ?? counted, at: now).needs.map(\.line)
    }
}

@Suite struct `A ladder that stands still` {
    @Test func `needs nobody before its step was held for its time`() throws {
        let configuration = try Configuration.onLadder()
        #expect(configuration.lines(at: noon + day - 1).isEmpty)
        let need = try #require(configuration.programmeStatus(at: noon + day).needs.first)
        #expect(need.line == "stuck 4 nothing holds step 3, and step 2 is over | route advance trips.edit --reason …")
        #expect(need.since == noon + day)
    }

    @Test func `needs nobody where the service takes the step itself`() throws {
        #expect(try Configuration.onLadder(advance: .automatic).lines().isEmpty)
        // It never leaves the ladder by itself.
        let last = try Configuration.onLadder(step: 3, advance: .automatic)
        #expect(
            last.lines() == [
                "stuck 4 stopConditions holds defaultNew: completion: not judged, crash: not judged, "
                    + "hang: not judged | route gates trips.edit"
            ])
    }

    @Test func `says what holds it`() throws {
        let configuration = try Configuration.onLadder { $0[1].minimumUnits = 100 }
        let gates = "route gates trips.edit"
        #expect(
            configuration.lines(units: 12) == [
                "stuck 4 minimumUnits holds step 3: 12 of 100 units were given migrated at this step | "
                    + gates
            ])
        #expect(
            configuration.lines(facts: Facts()) == [
                "stuck 4 minimumUnits holds step 3: the units at this step are not counted yet | "
                    + gates
            ])
        var bare = configuration
        bare.conditions = [:]
        #expect(
            bare.lines(units: 12) == [
                "stuck 4 minimumUnits and 1 more hold step 3: 12 of 100 units were given migrated at this step | "
                    + "\(gates)"
            ])
        #expect(configuration.lines(units: 100).first?.contains("nothing holds step 3") == true)
        let id = Waiver.ID(route: "trips.edit", gate: "minimumUnits", move: "step 3")
        var waived = configuration
        waived.waivers[id] = Waiver(id: id, approver: "kim", reason: "r", grantedAt: 0, expiresAt: noon + 90 * day)
        #expect(waived.lines(units: 12).first?.contains("nothing holds step 3") == true)
    }

    @Test func `waits for an answer only where it is monitored and climbed by the service`() throws {
        let monitored = try Configuration.onLadder(advance: .automatic) { $0[1].isMonitored = true }
        #expect(monitored.lines().first?.hasPrefix("stuck 4 noStop holds step 3: ") == true)
        let manual = try Configuration.onLadder { $0[1].isMonitored = true }
        #expect(manual.lines().first?.contains("nothing holds step 3") == true)
    }

    @Test func `is stopped, not stuck, by a stop that is not cleared up`() throws {
        var configuration = try Configuration.onLadder()
        configuration.routes["trips.edit"]?.stop = RouteStop(condition: "crash", hash: "h", at: noon)
        #expect(configuration.programmeStatus(at: noon + 100 * day).needs.map(\.kind) == [.stopped])
    }

    @Test func `without hold times is stuck after 90 days`() throws {
        let configuration = try Configuration.onLadder { for index in $0.indices { $0[index].holdSeconds = 0 } }
        #expect(configuration.lines(at: noon + 90 * day).isEmpty)
        #expect(
            configuration.lines(at: noon + 90 * day + 1) == [
                "stuck 4 partialRollout, step 2 of 3 for 90 days | route gates trips.edit"
            ])
    }

    @Test func `is to be approved once nothing else holds it`() throws {
        let configuration = try Configuration.onLadder {
            $0[1].minimumUnits = 100
            $0[2].needsApproval = true
        }
        #expect(configuration.lines(at: noon + day - 1, units: 100).isEmpty)
        #expect(configuration.lines(units: 100) == ["toApprove 2 step 3 | route approve trips.edit --reason …"])
        #expect(configuration.lines(units: 12).first?.contains("minimumUnits") == true)
        let approved = try configuration.after(.move(.approve))
        #expect(approved.lines(units: 100).first?.contains("nothing holds step 3") == true)
        var held = configuration
        held.routes["trips.edit"]?.status = .held
        #expect(held.lines(units: 100) == ["held 1 partialRollout, step 2 of 3 | route resume trips.edit --reason …"])
    }

    @Test func `is to be approved before it is entered, when everything else is there`() throws {
        var configuration = try Configuration.example(at: .compatible, since: noon - day)
        configuration.routes["trips.edit"]?.plan?.steps[0].needsApproval = true
        #expect(
            configuration.lines(at: noon, facts: .example) == [
                "toApprove 2 partialRollout | route approve trips.edit --reason …"
            ])
        #expect(configuration.lines(at: noon, facts: Facts()).isEmpty)
        #expect(try configuration.after(.move(.approve)).lines(at: noon, facts: .example).isEmpty)
    }
}

@Suite struct `A route that is ahead of one that it requires` {
    /// trips.list requires trips.edit; both as given, since yesterday.
    private static func needs(
        _ stage: Stage, _ status: RouteStatus = .active, requires required: (Stage, RouteStatus)
    ) throws -> [Need] {
        var configuration = try Configuration.example("trips.list", at: stage, status, step: 1, since: noon - day)
        configuration.routes["trips.list"]?.requires = ["trips.edit"]
        configuration.routes["trips.edit"]?.stage = required.0
        configuration.routes["trips.edit"]?.status = required.1
        configuration.routes["trips.edit"]?.stepSince = noon - day
        configuration.routes["trips.edit"]?.stageSince = noon - day
        return configuration.programmeStatus(at: noon).needs.filter { $0.route == "trips.list" && $0.kind == .ahead }
    }

    @Test(
        arguments: [
            (.notStarted, (.notStarted, .active), nil), (.compatible, (.compatible, .active), nil),
            (.compatible, (.notStarted, .active), "not yet compatible"),
            // Below the ladder nobody is given migrated by the stage.
            (.compatible, (.compatible, .rolledBack), nil), (.defaultNew, (.defaultNew, .held), nil),
            (.defaultNew, (.oldDeleted, .active), nil),
            (.defaultNew, (.partialRollout, .active), "not yet defaultNew"),
            (.defaultNew, (.partialRollout, .rolledBack), "not yet defaultNew"),
            (.partialRollout, (.partialRollout, .rolledBack), "rolled back"),
            (.partialRollout, (.compatible, .island), "not yet partialRollout"),
            (.oldDeleted, (.oldDisabled, .active), "not yet oldDeleted"),
        ] as [(Stage, (Stage, RouteStatus), String?)])
    func `needs somebody, unless the other has come as far and gives migrated`(
        stage: Stage, required: (Stage, RouteStatus), why: String?
    ) throws {
        let lines = try Self.needs(stage, requires: required).map(\.line)
        #expect(lines == (why.map { ["ahead 1 of trips.edit (\($0)) | route gates trips.edit"] } ?? []))
    }

    @Test(arguments: [(RouteStatus.held, true), (.rolledBack, false), (.island, false)])
    func `is ahead of nothing while it gives only legacy itself`(status: RouteStatus, isAhead: Bool) throws {
        let needs = try Self.needs(.partialRollout, status, requires: (.compatible, .active))
        #expect(needs.isEmpty != isAhead)
    }

    @Test func `is so after a rollback of that one, and no more when it is resumed`() throws {
        var configuration = try Configuration.example("trips.list", at: .partialRollout, step: 1, since: noon)
        configuration.routes["trips.list"]?.requires = ["trips.edit"]
        configuration.routes["trips.edit"]?.stage = .partialRollout
        configuration.routes["trips.edit"]?.step = 1
        func kinds(_ configuration: Configuration) -> [String] {
            configuration.programmeStatus(at: noon).needs.map { "\($0.kind) \($0.route)" }
        }
        #expect(kinds(configuration).isEmpty)
        let rolledBack = try configuration.after(.move(.rollback))
        #expect(kinds(rolledBack) == ["rolledBack trips.edit", "ahead trips.list"])
        #expect(kinds(try rolledBack.after(.move(.resume(cause: "fixed", step: nil)))).isEmpty)
    }

    @Test func `does not have to be one that excludes the other`() throws {
        var configuration = try Configuration.example("trips.list", at: .partialRollout, step: 1, since: noon)
        configuration.routes["trips.list"]?.excludes = ["trips.edit"]
        configuration.routes["trips.edit"]?.stage = .partialRollout
        #expect(configuration.programmeStatus(at: noon).needs.isEmpty)
    }
}

@Suite struct `What surrounds a route` {
    @Test func `is all that its gates look into`() throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 1)
        configuration.routes["trips.list"]?.stage = .partialRollout
        configuration.routes["trips.list"]?.excludes = ["trips.edit"]
        configuration.routes["orders.detail"]?.requires = ["trips.edit", "trips.list"]
        configuration.routes["trips.edit"]?.requires = ["orders.detail"]
        let surroundings = GateSurroundings(in: configuration)
        for route in configuration.routes.values {
            for move in Stage.allCases.map(NextMove.stage) + [.step(2)] {
                let around = surroundings.configuration(around: route)
                #expect(
                    around.gates(of: route, toward: move, facts: .example, at: noon)
                        == configuration.gates(of: route, toward: move, facts: .example, at: noon))
            }
        }
    }
}
