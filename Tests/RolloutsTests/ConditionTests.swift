import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private typealias Definition = StopCondition.Definition

@Suite struct `A stop condition` {
    private static let crash: JSONObject = ["metric": "crash", "margin": 2, "alphaShare": 0.01, "action": "rollback"]

    private static func put(_ key: String, _ definition: Definition) -> Command {
        .putCondition(route: "trips.edit", key: key, definition)
    }

    @Test func `fills in what is usual, and freezes it too`() throws {
        let definition = try Definition(json: Self.crash)
        #expect(definition.unit == .device && definition.direction == .up && definition.minimumUnits == 150)
        #expect(definition.method == .conditionalBinomial(grid: [1.25, 1.5, 2, 3, 4]))
        #expect(definition.maturitySeconds == 129_600)
        #expect(try Definition(json: definition.json) == definition)
        var members = Self.crash
        members["margin"] = 2.0
        #expect(try Definition(json: members).json == definition.json, "equal numbers are written alike")
    }

    @Test(
        arguments: [
            ("/metric", ["metric": "mood"]), ("/margin", ["margin": 1]), ("/margin", ["margin": "2"]),
            ("/alphaShare", ["alphaShare": 0]), ("/alphaShare", ["alphaShare": 0.06]), ("/action", ["action": "shout"]),
            ("/unit", ["unit": "firstJourney"]), ("/direction", ["direction": "down"]),
            ("/method/test", ["method": ["test": "confidenceSequence", "plannedUnits": 100]]),
            ("/method/grid", ["method": ["test": "conditionalBinomial", "grid": [2, 1.5]]]),
            ("/method/grid", ["method": ["test": "conditionalBinomial", "grid": []]]),
            ("/method/grid", ["method": ["test": "conditionalBinomial", "grid": [0.5]]]),
            ("/method", ["metric": "completion"]), ("/cap", ["cap": 5]), ("/minimumUnits", ["minimumUnits": 0]),
            ("/maximumDurationSeconds", ["maximumDurationSeconds": 60]), ("/graceSeconds", ["graceSeconds": 1]),
            ("/cap", ["metric": "loadTime", "method": ["test": "confidenceSequence", "plannedUnits": 100]]),
            ("/margin", ["metric": "sampleRatio"]),
        ] as [(String, JSONObject)])
    func `of the wrong form is refused where it is wrong`(path: String, changes: JSONObject) throws {
        var members = Self.crash
        for (name, value) in changes.entries { members[name] = value }
        let error = #expect(throws: RolloutError.self) {
            _ = try Configuration.example.after(Self.put("more", Definition(json: members)))
        }
        #expect(error?.code == .invalidField && error?.details["path"]?.string == path, "\(String(describing: error))")
    }

    @Test func `is a draft until it is frozen, and its hash is in the audit`() throws {
        let draft = try Configuration.example.after(Self.put("more", .completion()))
        #expect(draft.conditionsInForce(of: "trips.edit").count == 3)
        let audit = try draft.audit(of: .freezeConditions(route: "trips.edit", key: nil))
        let frozen = try draft.after(.freezeConditions(route: "trips.edit", key: nil))
        let more = try #require(frozen.conditionsInForce(of: "trips.edit").first { $0.id.key == "more" })
        #expect(more.frozenAt == noon && more.hash.count == 64)
        #expect(audit?.after["conditions"]?.array?.first?["hash"] == .string(more.hash))
        #expect(try frozen.isRepeat(.freezeConditions(route: "trips.edit", key: nil)))
        #expect(try frozen.isRepeat(Self.put("more", .completion())))
    }

    @Test func `that is changed once frozen is another version, and the old one watches until that is frozen too`()
        throws
    {
        let before = try Configuration.example
        let old = try #require(before.conditionsInForce(of: "trips.edit").first { $0.id.key == "crash" })
        let hash = old.hash
        var changed = Definition.crash()
        changed.margin = 3
        let drafted = try before.after(.judge(route: "trips.edit", hash: hash, .allowed, numbers: [:]))
            .after(Self.put("crash", changed))
        #expect(drafted.conditionsInForce(of: "trips.edit").contains { $0.hash == hash })
        let after = try drafted.after(.freezeConditions(route: "trips.edit", key: "crash"))
        let new = try #require(after.conditionsInForce(of: "trips.edit").first { $0.id.key == "crash" })
        #expect(new.id.version == 2 && new.hash != hash && new.judgement == nil, "it starts with no data")
        #expect(
            after.refusal(of: .judge(route: "trips.edit", hash: hash, .stop, numbers: [:]))?.code == .conditionNotFound,
            "data of the old version count no more")
        #expect(
            drafted.refusal(of: .judge(route: "trips.edit", hash: new.hash, .stop, numbers: [:]))?.code
                == .conditionNotFound, "nor of a draft")
    }

    @Test func `is taken away only as a draft`() throws {
        let configuration = try Configuration.example.after(Self.put("more", .completion()))
        func remove(_ key: String) -> Command { .removeCondition(route: "trips.edit", key: key) }
        #expect(try configuration.after(remove("more")).conditions(of: "trips.edit").count == 3)
        #expect(configuration.refusal(of: remove("crash"))?.code == .conditionFrozen)
        #expect(configuration.refusal(of: remove("none"))?.code == .conditionNotFound)
    }

    /// A route that is watched for crashes stays so, whatever its conditions are called.
    @Test func `keeps the metric that it was frozen with`() throws {
        let configuration = try Configuration.example
        let crash = try #require(configuration.conditionsInForce(of: "trips.edit").first { $0.id.key == "crash" })
        #expect(crash.definition.metric == .crash)
        let refusal = configuration.refusal(of: Self.put("crash", .completion()))
        #expect(refusal?.code == .invalidField && refusal?.details["path"] == "/metric")
    }

    /// Whichever version is frozen or taken away next, what watches never costs more.
    @Test func `costs the larger of its draft and what watches`() throws {
        var configuration = try Configuration.example
        configuration.conditions = [:]
        var large = Definition.crash()
        large.alphaShare = 0.05
        var small = large
        small.alphaShare = 0.001
        configuration = try configuration.after(Self.put("a", large))
            .after(.freezeConditions(route: "trips.edit", key: nil)).after(Self.put("a", small))
        var other = Definition.completion()
        other.alphaShare = 0.049
        #expect(configuration.refusal(of: Self.put("b", other))?.code == .alphaExceeded)
        configuration = try configuration.after(.freezeConditions(route: "trips.edit", key: "a"))
        #expect(configuration.refusal(of: Self.put("b", other)) == nil)
    }

    @Test func `shares 0.05 with the others of its route`() throws {
        var configuration = try Configuration.example
        var large = Definition.completion()
        large.alphaShare = 0.021
        #expect(configuration.refusal(of: Self.put("more", large))?.code == .alphaExceeded)
        large.alphaShare = 0.02
        configuration = try configuration.after(Self.put("more", large))
        #expect(configuration.refusal(of: Self.put("again", .crash()))?.code == .alphaExceeded)
        // A third of it three times is a little more in binary.
        var thirds = try Configuration.example
        thirds.conditions = [:]
        for key in ["a", "b", "c"] {
            var third = Definition.crash()
            third.alphaShare = 0.05 / 3
            thirds = try thirds.after(Self.put(key, third))
        }
        #expect(thirds.conditions.count == 3)
    }

    @Test func `must be there for crash, hang and completion before anybody is exposed, whoever forces`() throws {
        for metric in StopCondition.Metric.needed {
            var configuration = try Configuration.example(at: .compatible)
            for (id, condition) in configuration.conditions where condition.definition.metric == metric {
                configuration.conditions[id]?.frozenAt = nil
            }
            let error = configuration.refusal(of: .move(.advance(isForced: true)))
            #expect(error?.code == .gateNotMet)
            let gate = error?.details["gates"]?.array?.first { $0["name"] == "stopConditions" }
            #expect(gate?["reason"] == .string("\(metric.rawValue) is not frozen") && gate?["isHard"] == true)
            var back = try Configuration.example(at: .partialRollout, .rolledBack)
            back.conditions = configuration.conditions
            let resume = Command.move(.resume(cause: "fixed", step: nil))
            #expect(back.refusal(of: resume)?.code == .gateNotMet, "nor by going on after a rollback")
        }
        #expect(throws: Never.self) { try Configuration.example(at: .compatible).after(.advance) }
    }
}

@Suite struct `A verdict` {
    private static func judge(
        _ verdict: StopCondition.Judgement.Verdict, _ key: String = "crash", in configuration: Configuration
    ) throws -> Command {
        let condition = configuration.conditionsInForce(of: "trips.edit").first { $0.id.key == key }
        return .judge(route: "trips.edit", hash: try #require(condition).hash, verdict, numbers: ["e": 21.5])
    }

    private static let engine = Actor(name: "signalbox", role: .admin, keyID: "engine")

    @Test(
        arguments: [
            (.rollback, .partialRollout, .active, .rolledBack), (.hold, .partialRollout, .active, .held),
            (.warn, .partialRollout, .active, .active), (.rollback, .partialRollout, .held, .rolledBack),
            (.rollback, .defaultNew, .active, .rolledBack), (.rollback, .oldDisabled, .active, .rolledBack),
            (.hold, .oldDisabled, .active, .active), (.rollback, .oldDeleted, .active, .active),
            (.rollback, .notStarted, .active, .active), (.rollback, .partialRollout, .rolledBack, .rolledBack),
        ] as [(StopCondition.Action, Stage, RouteStatus, RouteStatus)])
    func `of stop does what the condition says, where that is possible`(
        action: StopCondition.Action, stage: Stage, status: RouteStatus, expected: RouteStatus
    ) throws {
        var configuration = try Configuration.example(
            at: stage, status, step: stage == .partialRollout && status != .rolledBack ? 2 : 0)
        for id in configuration.conditions.keys { configuration.conditions[id]?.definition.action = action }
        let command = try Self.judge(.stop, in: configuration)
        let applied = try configuration.applying(command, by: Self.engine, reason: "e above 20", at: noon)
        let route = try applied.configuration.route("trips.edit")
        #expect(route.status == expected)
        #expect(route.stop?.condition == "crash" && route.stop?.at == noon)
        #expect(applied.audit?.actor.keyID == "engine" && applied.audit?.action == "condition.judge")
        let judged = applied.audit?.after["conditions"]?.array?.first?["judgement"]
        #expect(judged == ["verdict": "stop", "at": .integer(noon), "numbers": ["e": 21.5]])
        #expect(try applied.configuration.isRepeat(command, by: Self.engine), "it acts once")
    }

    @Test func `that is another than stop changes nothing but what is known`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 2)
        for verdict in StopCondition.Judgement.Verdict.allCases where verdict != .stop {
            let after = try configuration.after(try Self.judge(verdict, in: configuration))
            #expect(try after.route("trips.edit") == configuration.route("trips.edit"))
            #expect(
                after.conditionsInForce(of: "trips.edit").first { $0.id.key == "crash" }?.judgement?.verdict == verdict)
            #expect(try after.isRepeat(try Self.judge(verdict, in: configuration)))
        }
    }

    @Test func `of stop stands until the cause is named, whatever comes after it`() throws {
        let before = try Configuration.example(at: .partialRollout, step: 2)
        let stopped = try before.after(try Self.judge(.stop, in: before))
        #expect(try stopped.isRepeat(try Self.judge(.allowed, in: before)))
        let again = try stopped.after(.move(.resume(cause: "fixed in 731", step: nil)))
        #expect(try again.route("trips.edit").stop == nil)
        let anew = try again.after(try Self.judge(.stop, in: before))
        #expect(try anew.route("trips.edit").status == .rolledBack, "the same data stop it again")
    }

    @Test func `of stop locks the route but never its rollback`() throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 2)
        for id in configuration.conditions.keys { configuration.conditions[id]?.definition.action = .warn }
        let stopped = try configuration.after(try Self.judge(.stop, in: configuration))
        var fields = RouteFields()
        fields.plan = RolloutPlan(steps: RolloutPlan.ladder.steps + [.init(cohort: nil, share: 100_000)])
        let locked: [Command] = [
            .advance, .move(.advance(isForced: true)), .editRoute(key: "trips.edit", fields),
            .putCondition(route: "trips.edit", key: "more", .completion()),
            .freezeConditions(route: "trips.edit", key: nil),
        ]
        for command in locked {
            #expect(stopped.refusal(of: command)?.code == .routeLocked, "\(command)")
            let error = configuration.refusal(of: command)
            #expect(error == nil, "without a stop it is possible: \(String(describing: error))")
        }
        #expect(try stopped.after(.move(.rollback)).route("trips.edit").status == .rolledBack)
        for cause in [nil, " "] {
            #expect(stopped.refusal(of: .move(.resume(cause: cause, step: nil)))?.code == .causeRequired)
        }
        let cleared = try stopped.after(.move(.resume(cause: "a broken feed", step: nil)))
        #expect(cleared.refusal(of: .advance) == nil)
    }

    @Test func `decides the way to the default: all allowed, or a waiver of what is unknown`() throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 4)
        let forced = Command.move(.advance(isForced: true))
        func gate() throws -> GateResult {
            let gates = configuration.gates(
                of: try configuration.route("trips.edit"), toward: .stage(.defaultNew), facts: .example, at: noon)
            return try #require(gates.first { $0.name == "stopConditions" })
        }
        #expect(try gate().verdict == .unknown("completion: not judged, crash: not judged, hang: not judged"))
        #expect(configuration.refusal(of: forced)?.code == .gateNotMet, "force does not help")
        let waiver = Waiver.ID(route: "trips.edit", gate: "stopConditions", move: "defaultNew")
        let waived = try configuration.after(.grantWaiver(waiver, expiresAt: noon + day))
        let audit = try waived.audit(of: .advance)
        #expect(
            audit?.after["stage"] == "defaultNew" && audit?.after["waivedGates"] == ["trips.edit": ["stopConditions"]])
        for key in ["crash", "hang", "completion"] {
            configuration = try configuration.after(try Self.judge(.allowed, key, in: configuration))
        }
        #expect(try gate().verdict == .pass)
        #expect(configuration.refusal(of: .advance) == nil)
        let stopped = try waived.after(try Self.judge(.stop, in: waived))
        let gates = stopped.gates(
            of: try stopped.route("trips.edit"), toward: .stage(.defaultNew), facts: .example, at: noon)
        #expect(
            gates.contains { $0.name == "stopConditions" && $0.verdict == .fail("stopped by crash") && $0.isFailing })
    }
}
