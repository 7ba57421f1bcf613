import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A flag` {
    @Test func `is put, and put again without effect`() throws {
        let configuration = try Configuration.example
        let put = Command.putFlag(key: "dark", definition: newSearch, isStrict: true)
        let after = try configuration.after(put)
        #expect(try after.flag("dark").definition == newSearch.object)
        #expect(try after.isRepeat(put))
        #expect(try configuration.audit(of: put)?.before.isNull == true)
    }

    @Test(
        arguments: [
            ("a b", newSearch, .invalidKey), ("trips.edit", newSearch, .keyTaken), ("dark", [], .invalidFlag),
            ("dark", ["state": "ENABLED", "variants": ["a": 1], "defaultVariant": "b"], .invalidFlag),
        ] as [(String, JSONValue, RolloutError.Code)])
    func `is refused when it is malformed`(key: String, definition: JSONValue, code: RolloutError.Code) throws {
        let error = try Configuration.example.refusal(of: .putFlag(key: key, definition: definition, isStrict: false))
        #expect(error?.code == code)
        if code == .invalidFlag { #expect(error?.details["fault"]?.string != nil) }
    }

    @Test func `that names no cohort is stored with a warning, unless strict was asked for`() throws {
        let configuration = try Configuration.example
        let definition: JSONValue = [
            "state": "ENABLED", "variants": ["a": 1], "defaultVariant": "a", "targeting": ["$ref": "nobody"],
        ]
        let after = try configuration.after(.putFlag(key: "dark", definition: definition, isStrict: false))
        #expect(try after.flag("dark").warnings.map(\.code) == [.unresolvedReference])
        let error = configuration.refusal(of: .putFlag(key: "dark", definition: definition, isStrict: true))
        #expect(error?.code == .ruleWarnings)
        #expect(error?.details["warnings"]?.array?.count == 1)
    }

    @Test func `is disabled and enabled by its state alone`() throws {
        let configuration = try Configuration.example
        let disable = Command.setFlagState(key: "new-search", isEnabled: false)
        let disabled = try configuration.after(disable)
        var expected = newSearch.object
        expected?["state"] = "DISABLED"
        #expect(try disabled.flag("new-search").definition == expected)
        #expect(try disabled.isRepeat(disable))
        #expect(try configuration.audit(of: disable)?.action == "flag.disable")
        let enable = Command.setFlagState(key: "new-search", isEnabled: true)
        #expect(try disabled.after(enable).flag("new-search") == configuration.flag("new-search"))
    }

    @Test func `is removed once`() throws {
        let after = try Configuration.example.after(.removeFlag(key: "new-search"))
        #expect(after.flags.isEmpty)
        for command in [Command.removeFlag(key: "new-search"), .setFlagState(key: "trips.edit", isEnabled: false)] {
            #expect(after.refusal(of: command)?.code == .flagNotFound)
        }
    }
}

@Suite struct `A cohort` {
    private func put(_ key: String, _ rule: JSONValue, isStrict: Bool = false) -> Command {
        .putCohort(key: key, rule: rule, isStrict: isStrict)
    }

    @Test func `is put, and put again without effect`() throws {
        let command = put("small", ["<": [["var": "size"], 5]], isStrict: true)
        let after = try Configuration.example.after(command)
        #expect(try after.isRepeat(command))
        #expect(after.evaluators.keys == ["beta", "internal", "small"])
        #expect(try after.warnings(ofCohort: "small").isEmpty)
    }

    @Test(
        arguments: [("a b", ["var": "x"], .invalidKey), ("a", ["no_such": [1]], .invalidCohort)]
            as [(String, JSONValue, RolloutError.Code)])
    func `is refused when it is malformed`(key: String, rule: JSONValue, code: RolloutError.Code) throws {
        #expect(try Configuration.example.refusal(of: put(key, rule))?.code == code)
    }

    @Test func `that names itself, also through others, is refused`() throws {
        var configuration = try Configuration.example
        #expect(configuration.refusal(of: put("a", ["!": ["$ref": "a"]]))?.code == .cohortCycle)
        configuration = try configuration.after(put("a", ["!": ["$ref": "b"]])).after(put("b", ["!": ["$ref": "c"]]))
        #expect(configuration.refusal(of: put("c", ["and": [true, ["$ref": "a"]]]))?.code == .cohortCycle)
        #expect(configuration.refusal(of: put("c", ["var": "x"])) == nil)
    }

    @Test func `that names no other is stored with a warning, unless strict was asked for`() throws {
        let command = put("a", ["!": ["$ref": "nobody"]])
        let after = try Configuration.example.after(command)
        #expect(try after.warnings(ofCohort: "a").map(\.code) == [.unresolvedReference])
        #expect(after.refusal(of: put("a", ["!": ["$ref": "nobody"]], isStrict: true))?.code == .ruleWarnings)
    }

    @Test func `is not removed while a plan, a flag or a cohort names it`() throws {
        var configuration = try Configuration.example.after(put("more", ["or": [["$ref": "beta"], ["var": "x"]]]))
        let remove = Command.removeCohort(key: "beta")
        let error = configuration.refusal(of: remove)
        #expect(error?.code == .cohortInUse)
        #expect(
            error?.details["usedBy"] == ["cohort/more", "flag/new-search", "route/trips.edit", "route/trips.list"])
        configuration.flags = [:]
        configuration.cohorts["more"] = nil
        for key in ["trips.edit", "trips.list"] {
            #expect(configuration.refusal(of: remove)?.code == .cohortInUse)
            configuration.routes[key]?.plan = nil
        }
        #expect(try configuration.after(remove).cohorts["beta"] == nil)
        #expect(configuration.refusal(of: .removeCohort(key: "nope"))?.code == .cohortNotFound)
    }
}

@Suite struct `A cohort that a ladder names` {
    private let everybody: JSONValue = ["==": [1, 1]]

    private func put(_ key: String, isForced: Bool = false) -> Command {
        .putCohort(key: key, rule: everybody, isStrict: false, isForced: isForced)
    }

    @Test(
        arguments: [
            (.partialRollout, .active, 1, true), (.partialRollout, .held, 1, true),
            (.partialRollout, .rolledBack, 0, false),
            (.compatible, .active, 0, false), (.defaultNew, .active, 0, false),
        ] as [(Stage, RouteStatus, Int, Bool)])
    func `is not changed while it decides`(stage: Stage, status: RouteStatus, step: Int, isRefused: Bool) throws {
        let configuration = try Configuration.example(at: stage, status, step: step)
        let error = configuration.refusal(of: put("internal"))
        #expect(error?.code == (isRefused ? .cohortInLadder : nil))
        if isRefused { #expect(error?.details["routes"] == ["trips.edit"]) }
        #expect(configuration.refusal(of: put("beta")) == nil, "beta joins at step 2")
        #expect(configuration.refusal(of: put("new")) == nil)
    }

    @Test func `is not changed through another cohort either`() throws {
        let named = Command.putCohort(
            key: "internal", rule: ["or": [["$ref": "staff"], ["var": "x"]]], isStrict: false)
        let staff = Command.putCohort(key: "staff", rule: ["!": [["$ref": "office"]]], isStrict: false)
        var configuration = try Configuration.example.after(put("office")).after(staff).after(named)
        configuration.routes["trips.edit"]?.stage = .partialRollout
        configuration.routes["trips.edit"]?.step = 1
        let office = Command.putCohort(key: "office", rule: ["var": "y"], isStrict: false)
        #expect(configuration.refusal(of: office)?.details["routes"] == ["trips.edit"])
        #expect(configuration.routes(naming: "office").map(\.key) == ["trips.edit", "trips.list"])
    }

    @Test func `is not changed by a flag file either, and stays as it is when the file says the same`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 1)
        let changed: JSONValue = ["flags": [:], "$evaluators": ["internal": everybody]]
        #expect(configuration.refusal(of: .importFlags(file: changed, isStrict: false))?.code == .cohortInLadder)
        let same: JSONValue = ["flags": [:], "$evaluators": ["internal": try configuration.cohort("internal").rule]]
        #expect(configuration.refusal(of: .importFlags(file: same, isStrict: false)) == nil)
    }

    @Test func `is changed by force by the role admin alone, which the audit shows`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 2)
        #expect(configuration.refusal(of: put("internal", isForced: true), by: eve)?.code == .notAllowed)
        let audit = try configuration.audit(of: put("internal", isForced: true))
        #expect(audit?.after["forced"] == true && audit?.after["forcedRoutes"] == ["trips.edit"])
        #expect(audit?.after["rule"] == everybody)
        #expect(try configuration.after(put("internal", isForced: true)).cohort("internal").rule == everybody)
        #expect(try configuration.audit(of: put("new", isForced: true), by: eve)?.after["forced"] == nil)
    }
}

@Suite struct `A rule that is too large with its cohorts` {
    /// A rule of about that many parts.
    private func rule(parts: Int) -> JSONValue {
        .object(["or": .array((0..<parts).map { ["var": .string("a\($0)")] })])
    }

    private func flag(_ targeting: JSONValue) -> JSONValue {
        [
            "state": "ENABLED", "variants": ["true": true, "false": false], "defaultVariant": "false",
            "targeting": targeting,
        ]
    }

    @Test func `is refused as a flag and as a cohort`() throws {
        let configuration = try Configuration.example
        let large = rule(parts: 200_000)
        let flag = configuration.refusal(of: .putFlag(key: "f", definition: flag(large), isStrict: false))
        #expect(flag?.code == .invalidFlag && flag?.details["fault"] == "too_large")
        let cohort = configuration.refusal(of: .putCohort(key: "c", rule: large, isStrict: false))
        #expect(cohort?.code == .invalidCohort && cohort?.details["fault"] == "too_large")
    }

    @Test func `is refused as the cohort that makes it so for a flag or a ladder`() throws {
        var configuration = try Configuration.example
        let twice: JSONValue = ["and": [["$ref": "c"], ["$ref": "c"]]]
        configuration = try configuration.after(.putCohort(key: "c", rule: ["var": "x"], isStrict: false))
            .after(.putFlag(key: "f", definition: flag(twice), isStrict: false))
        let half = Command.putCohort(key: "c", rule: rule(parts: 50_000), isStrict: false)
        let error = configuration.refusal(of: half)
        #expect(error?.code == .invalidCohort && error?.details["usedBy"] == ["flag/f"])
        configuration.flags["f"] = nil
        #expect(configuration.refusal(of: half) == nil)
        let internalHalf = Command.putCohort(key: "internal", rule: rule(parts: 50_000), isStrict: false)
        let betaHalf = Command.putCohort(key: "beta", rule: rule(parts: 50_000), isStrict: false)
        let error2 = try configuration.after(internalHalf).refusal(of: betaHalf)
        #expect(error2?.code == .invalidCohort && error2?.details["usedBy"] == ["route/trips.edit"])
    }

    @Test func `is refused as a flag file that puts it together`() throws {
        let file: JSONValue = [
            "flags": ["f": flag(["and": [["$ref": "c"], ["$ref": "d"]]])],
            "$evaluators": ["c": rule(parts: 50_000), "d": rule(parts: 50_000)],
        ]
        let error = try Configuration.example.refusal(of: .importFlags(file: file, isStrict: false))
        #expect(error?.code == .invalidCohort && error?.details["usedBy"] == ["flag/f"])
    }

    @Test func `is refused as the plan that puts its cohorts together`() throws {
        var configuration = try Configuration.example
        var fields = RouteFields()
        fields.plan = RolloutPlan(steps: (0..<3).map { RolloutPlan.Step(cohort: "c\($0)", share: 100_000) })
        for number in 0..<3 {
            configuration = try configuration.after(
                .putCohort(key: "c\(number)", rule: rule(parts: 50_000), isStrict: false))
        }
        let error = configuration.refusal(of: .editRoute(key: "trips.edit", fields))
        #expect(error?.code == .invalidPlan && error?.details["fault"] == "too_large")
    }

    @Test func `stays mendable where it was stored before`() throws {
        var configuration = try Configuration.example
        configuration.store(.cohort(Cohort(key: "c", rule: rule(parts: 120_000))))
        configuration.store(.cohort(Cohort(key: "d", rule: ["and": [["$ref": "c"], ["var": "x"]]])))
        configuration.store(
            .flag(StoredFlag(key: "f", definition: flag(["and": [["$ref": "c"], ["$ref": "d"]]]).object ?? [:])))
        #expect(configuration.refusal(of: .putCohort(key: "c", rule: rule(parts: 50_000), isStrict: false)) == nil)
    }
}
