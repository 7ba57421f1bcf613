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
