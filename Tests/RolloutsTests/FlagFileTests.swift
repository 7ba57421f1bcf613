import FlagEvaluation
import Foundation
import RouteContract
import Testing

@testable import Rollouts

private let empty = Configuration(environment: "production", epoch: 1, revision: 0)

private func file(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// flagd's own test flags; nil when the public suites are not there.
private func testkit() throws -> JSONValue? {
    guard let root = ProcessInfo.processInfo.environment["SIGNALBOX_SUITES"] else {
        print("skipped: SIGNALBOX_SUITES does not name the folder of the public suites (flagd-testbed)")
        return nil
    }
    let path = root + "/flagd-testbed/evaluator/flags/testkit-flags.json"
    return try JSONValue(parsing: Array(Data(contentsOf: URL(fileURLWithPath: path))))
}

private let small = """
    {"$schema": "https://flagd.dev/schema/v0/flags.json",
     "flags": {
        "b": {"state": "ENABLED", "variants": {"x": 1.0, "y": 2}, "defaultVariant": null, "targeting": {}},
        "a": {"state": "DISABLED", "variants": {"on": true}, "targeting": {"if": [{"$ref": "staff"}, "on"]},
              "metadata": {"owner": "search", "team": "core"}}},
     "$evaluators": {"staff": {"in": ["@x", {"var": "email"}]}},
     "metadata": {"owner": "platform", "version": 1.50}}
    """

@Suite struct `A flag file` {
    @Test(arguments: [
        small, #"{"flags": {}}"#, #"{"flags": {}, "metadata": {}, "$evaluators": {}}"#,
        #"{"metadata": {"a": 1.0}, "flags": {"k": {"variants": {"ä": "ü"}, "state": "ENABLED", "key": "inner", "extra": [1, null]}}}"#,
    ])
    func `comes out as it went in`(text: String) throws {
        let before = try file(text)
        let after = try empty.after(.importFlags(file: before, isStrict: false)).flagFile()
        #expect(JSONValue.object(after).canonicalJSON == before.canonicalJSON)
        let again = try empty.after(.importFlags(file: .object(after), isStrict: false)).flagFile()
        #expect(again == after)
    }

    @Test(arguments: [
        small, #"{"flags": {}}"#, #"{"flags": {}, "metadata": {}, "$evaluators": {}}"#,
        #"{"flags": {"k": {"variants": {"a": 1}, "state": "ENABLED", "targeting": {"$ref": "beta"}}}, "metadata": {"a": 1}}"#,
    ])
    func `that is the unchanged export changes nothing when it is taken in again`(text: String) throws {
        var environment = try Configuration.example
        environment = try environment.after(.importFlags(file: file(text), isStrict: false))
        let export = JSONValue.object(try environment.flagFile())
        let read = try JSONValue(parsing: String(decoding: export.canonicalJSON, as: UTF8.self))
        for again in [export, read] {
            let applied = try environment.applying(
                .importFlags(file: again, isStrict: false), by: ana, reason: "again", at: noon)
            #expect(applied.audit == nil && applied.configuration.revision == environment.revision)
        }
        let plain = try Configuration.example
        #expect(try plain.isRepeat(.importFlags(file: .object(try plain.flagFile()), isStrict: false)))
    }

    @Test func `of flagd's test kit comes out as it went in`() throws {
        guard let before = try testkit() else { return }
        let imported = try empty.after(.importFlags(file: before, isStrict: false))
        #expect(imported.flags.count == 60 && imported.revision == 1)
        #expect(try JSONValue.object(imported.flagFile()).canonicalJSON == before.canonicalJSON)
        #expect(imported.refusal(of: .importFlags(file: before, isStrict: true))?.code == .ruleWarnings)
        #expect(try imported.isRepeat(.importFlags(file: before, isStrict: false)))
    }

    @Test func `may hold its flags as a list`() throws {
        let list = try file(#"{"flags": [{"key": "a", "state": "ENABLED", "variants": {"on": true}}]}"#)
        let imported = try empty.after(.importFlags(file: list, isStrict: true))
        #expect(
            JSONValue.object(try imported.flagFile())
                == (try file(#"{"flags": {"a": {"state": "ENABLED", "variants": {"on": true}}}}"#)))
    }

    @Test func `gives its metadata to each flag, whose own wins`() throws {
        let flags = try empty.after(.importFlags(file: file(small), isStrict: true)).flagSet()
        let index = try #require(flags.index(ofKey: "a"))
        #expect(flags.metadata(at: index) == ["owner": "search", "team": "core", "version": 1.50])
    }

    @Test func `adds to what is there, and says what it changed`() throws {
        let first = try Configuration.example.after(.importFlags(file: file(small), isStrict: true))
        let second = try file(
            """
            {"flags": {"b": {"state": "ENABLED", "variants": {"x": 1.0, "y": 2}, "defaultVariant": null, "targeting": {}},
                       "a": {"state": "ENABLED", "variants": {"on": true}},
                       "c": {"state": "ENABLED", "variants": {"on": true}, "targeting": {"if": [{"$ref": "beta"}, "on"]}}},
             "metadata": {"version": 2}}
            """)
        let command = Command.importFlags(file: second, isStrict: true)
        let after = try first.after(command)
        #expect(after.flags.keys.sorted() == ["a", "b", "c", "new-search"])
        #expect(after.cohorts.keys.sorted() == ["beta", "internal", "staff"])
        #expect(after.settings.metadata == ["owner": "platform", "version": 2])
        let audit = try #require(try first.audit(of: command))
        #expect((audit.action, audit.subject) == ("flag.import", "environment/production"))
        let counts = ImportCounts(of: "flags", in: second, audit: audit)
        #expect((counts.created, counts.changed, counts.unchanged) == (["c"], ["a"], 1))
        #expect(ImportCounts(of: "flags", in: second, audit: nil).unchanged == 3)
    }

    @Test(
        arguments: [
            (#"{"flags": {"trips.edit": {"state": "ENABLED", "variants": {"on": true}}}}"#, .keyTaken),
            (#"{"flags": {"ok": {"state": "ENABLED", "variants": {"on": true}}, "b": {"state": "ON"}}}"#, .invalidFlag),
            (#"{"flags": {"-": {"state": "ENABLED", "variants": {"on": true}}}}"#, .invalidFlag),
            (#"{"flags": [{"state": "ENABLED", "variants": {"on": true}}]}"#, .invalidFlag), (#"[]"#, .invalidFlag),
            (#"{"flags": {}, "$evaluators": {"x": {"$ref": "x"}}}"#, .invalidCohort),
            (#"{"flags": {}, "$evaluators": {"beta": {"$ref": "y"}, "y": {"$ref": "beta"}}}"#, .invalidCohort),
            (#"{"flags": {}, "$evaluators": {"x": 1}}"#, .invalidCohort),
            (#"{"flags": {}, "metadata": {"x": []}}"#, .invalidFlag),
        ] as [(String, RolloutError.Code)])
    func `is taken in as a whole or not at all`(text: String, code: RolloutError.Code) throws {
        let refusal = try Configuration.example.refusal(of: .importFlags(file: file(text), isStrict: false))
        #expect(refusal?.code == code)
    }

    @Test func `does not let a cohort of its own and one that is there name one another`() throws {
        let there = try Configuration.example.after(.putCohort(key: "outer", rule: ["$ref": "inner"], isStrict: false))
        let loop = try file(#"{"flags": {}, "$evaluators": {"inner": {"$ref": "outer"}}}"#)
        #expect(there.refusal(of: .importFlags(file: loop, isStrict: false))?.code == .cohortCycle)
    }

    @Test func `does not reshuffle in silence`() throws {
        let split = { (variants: String) in
            try file(
                #"{"flags": {"s": {"state": "ENABLED", "variants": {"a": 1, "b": 2}, "targeting": {"fractional": \#(variants)}}}}"#
            )
        }
        let there = try empty.after(.importFlags(file: split(#"[["a", 10], ["b", 90]]"#), isStrict: true))
        #expect(there.refusal(of: .importFlags(file: try split(#"[["a", 20], ["b", 80]]"#), isStrict: true)) == nil)
        let turned = try split(#"[["b", 90], ["a", 10]]"#)
        let refusal = there.refusal(of: .importFlags(file: turned, isStrict: true))
        #expect(refusal?.code == .reshuffles)
        #expect(refusal?.details["splits"]?.array?.first?["cause"] == "order")
        #expect(there.refusal(of: .importFlags(file: turned, isStrict: true, allowsReshuffle: true)) == nil)
        let put = Command.putFlag(key: "s", definition: turned["flags"]?["s"] ?? .null, isStrict: true)
        #expect(there.refusal(of: put)?.code == .reshuffles)
    }
}

@Suite struct `The generation of bucketing` {
    private let flag: JSONValue = ["state": "ENABLED", "variants": ["on": true]]

    @Test func `is v2 unless it is named, and stays what it was`() throws {
        let made = try empty.after(.putFlag(key: "a", definition: flag, isStrict: true))
        #expect(made.flags["a"]?.bucketing == .v2)
        #expect(
            made.refusal(of: .putFlag(key: "a", definition: flag, isStrict: true, bucketing: .v3))?.code
                == .bucketingFixed)
        #expect(try made.isRepeat(.putFlag(key: "a", definition: flag, isStrict: true, bucketing: .v2)))
    }

    @Test func `decides what the flag's splits hash`() throws {
        let split: JSONValue = [
            "state": "ENABLED", "variants": ["a": 1, "b": 2], "targeting": ["fractional": [["a", 1], ["b", 1]]],
        ]
        let made = try empty.after(.putFlag(key: "s", definition: split, isStrict: true, bucketing: .v3))
        for unit in (0..<40).map({ "u-\($0)" }) {
            let position = Bucket(for: unit, salt: "s", by: .v3).position(among: 2)
            let context = EvaluationContext(targetingKey: unit)
            #expect(made.flagSet().evaluation(of: "s", for: context, at: 0).variant == ["a", "b"][Int(position)])
        }
    }

    @Test func `keeps flags apart in files`() throws {
        var mixed = try Configuration.example
        mixed.store(.flag(StoredFlag(key: "z", definition: flag.object ?? [:], bucketing: .v3)))
        #expect(throws: RolloutError.self) { try mixed.flagFile(.v2) }
        #expect(throws: RolloutError.self) { try mixed.flagFile(.v3) }
        mixed.store(.removedFlag("new-search"))
        #expect(try mixed.flagFile(.v3)["flags"]?.object?.keys == ["z"])
        // Routes are bucketed by v2.
        #expect(throws: RolloutError.self) { try mixed.flagFile(.v3, withRoutes: true) }
        mixed.store(.removedFlag("z"))
        let keys = try mixed.flagFile(.v2, withRoutes: true)["flags"]?.object?.keys
        #expect(keys == ["orders.detail", "trips.edit", "trips.list"])
    }
}
