import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

/// One kind of thing that is written as JSON: what it is, as an example, and how it is read and written again.
private struct Coded: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let json: JSONObject
    let again: @Sendable (JSONObject) throws(RolloutError) -> JSONObject

    static let all: [Coded] = [
        Coded(testDescription: "flow", json: Flow.trips.json) { json throws(RolloutError) in try Flow(json: json).json
        },
        Coded(testDescription: "route", json: busyRoute.json) { json throws(RolloutError) in
            try RouteRollout(json: json).json
        },
        Coded(testDescription: "fields", json: RouteFields.complete.json) { json throws(RolloutError) in
            try RouteFields(json: json).json
        },
        Coded(testDescription: "plan", json: RolloutPlan.ladder.json) { json throws(RolloutError) in
            try RolloutPlan(json: json).json
        },
        Coded(testDescription: "build", json: build.json) { json throws(RolloutError) in try Build(json: json).json },
        Coded(testDescription: "flag", json: flag.json) { json throws(RolloutError) in try StoredFlag(json: json).json
        },
        Coded(testDescription: "cohort", json: Cohort(key: "beta", rule: ["var": "beta"]).json) {
            json throws(RolloutError) in try Cohort(json: json).json
        },
        Coded(testDescription: "key", json: AccessKey.admin("k1", expiresAt: noon, fill: "a").json) {
            json throws(RolloutError) in try AccessKey(json: json).json
        },
    ]

    static let build = Build(
        id: BuildID(app: "app", number: 730), version: "7.3.0", releasedAt: noon, minimumOS: "17", commit: "abc",
        renderers: ["trips.edit": [.legacy, .migrated], "a/b~c": [.migrated]])
    static let flag = StoredFlag(
        key: "new-search", definition: newSearch.object ?? [:],
        warnings: [FlagWarning(path: "/targeting", code: .operatorMisuse)])
    /// A route of which everything is set, so that each member is written.
    static var busyRoute: RouteRollout {
        var route = RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)
        route.owner = "ana"
        route.reason = "SwiftUI"
        route.contract = RouteFields.complete.contract
        route.entryPoints = EntryPoint.Kind.allCases.map { EntryPoint(kind: $0, source: "x") }
        route.requires = ["trips.list"]
        route.legacySymbols = ["TripEditController", "openTrip:animated:"]
        route.plan = .ladder
        route.deletion = Deletion(date: "2031-06-30", owner: "ana")
        route.stage = .partialRollout
        route.status = .rolledBack
        route.step = 3
        route.stepSince = noon + 1
        route.rolledBackFrom = .defaultNew
        route.highestHealthyStep = 2
        route.flipBacks = 7
        route.island = Island(owner: "ana", reason: "rare", reviewDate: "2031-01-31")
        return route
    }
}

@Suite struct `What is stored and sent` {
    @Test(arguments: Coded.all) private func `is read as it was written`(coded: Coded) throws {
        #expect(!coded.json.isEmpty)
        #expect(try coded.again(coded.json) == coded.json)
        let parsed = try JSONValue(parsing: JSONValue.object(coded.json).jsonText)
        #expect(try coded.again(try #require(parsed.object)) == coded.json)
    }

    @Test(arguments: Coded.all) private func `has no member that is not known`(coded: Coded) {
        var json = coded.json
        json["colour"] = "red"
        let error = #expect(throws: RolloutError.self) { try coded.again(json) }
        #expect(error?.code == .unknownField && error?.details == ["field": "colour", "path": "/colour"])
    }

    @Test(arguments: Coded.all) private func `has members of the right types only`(coded: Coded) {
        // A rule, a definition and a reason may be of more than one type or absent; an array fits none of the others.
        for (name, value) in coded.json.entries where name != "rule" && !value.isNull {
            var json = coded.json
            json[name] = value.array == nil ? [] : "text"
            let error = #expect(throws: RolloutError.self, "\(name)") { try coded.again(json) }
            #expect(error?.code == .invalidField && error?.details["path"] == .string("/" + name))
        }
    }

    @Test func `equals what it was before`() throws {
        #expect(try RouteRollout(json: Coded.busyRoute.json) == Coded.busyRoute)
        #expect(try RouteFields(json: RouteFields.complete.json) == .complete)
        #expect(try Build(json: Coded.build.json) == Coded.build)
        #expect(try StoredFlag(json: Coded.flag.json) == Coded.flag)
        let bare = RouteRollout(key: "a", flow: "b", createdAt: 5)
        #expect(try RouteRollout(json: bare.json) == bare)
    }

    @Test(
        arguments: [(.pass, "pass", nil), (.fail("a"), "fail", "a"), (.unknown("b"), "unknown", "b")]
            as [(GateResult.Verdict, JSONValue, JSONValue)])
    func `shows what a gate says`(verdict: GateResult.Verdict, word: JSONValue, reason: JSONValue) {
        let gate = GateResult(name: "plan", isHard: true, verdict: verdict, remedy: "c")
        #expect(
            gate.json == [
                "name": "plan", "isHard": true, "verdict": word, "blocks": .bool(word == "fail"), "reason": reason,
                "remedy": "c",
            ])
    }

    @Test func `names the place of a fault deep inside`() {
        for (json, path) in [
            (
                ["plan": ["steps": [["cohort": nil, "share": 1], ["cohort": nil, "share": 1.5]]]], "/plan/steps/1/share"
            ),
            (["plan": ["steps": [5]]], "/plan/steps/0"), (["plan": [:]], "/plan/steps"),
            (["contract": ["schemaVersion": 1, "payload": [:], "outcomes": ["a", 2]]], "/contract/outcomes/1"),
            (["entryPoints": [["kind": "door", "source": "a"]]], "/entryPoints/0/kind"),
            (["deletion": ["date": "2031-01-01"]], "/deletion/owner"),
        ] as [(JSONObject, String)] {
            let error = #expect(throws: RolloutError.self) { try RouteFields(json: json) }
            #expect(error?.code == .invalidField && error?.details["path"] == .string(path))
        }
    }

    @Test func `never shows a key's hash on the wire`() {
        let key = AccessKey.admin("k1", fill: "a")
        #expect(key.json["hash"] == .string(key.hash))
        #expect(key.publicJSON["hash"] == nil)
    }

    @Test func `leaves members to the caller that it names`() throws {
        var json = RouteFields.complete.json
        json["reason"] = "new"
        #expect(try RouteFields(json: json, besides: ["reason"]) == .complete)
        #expect(throws: RolloutError.self) { try RouteFields(json: json) }
        let manifest: JSONObject = ["version": "1", "renderers": [:], "reason": "new"]
        #expect(try Build(id: Coded.build.id, json: manifest, besides: ["reason"]).version == "1")
    }

    @Test(arguments: [["legacy", "legacy"], ["other"], ["legacy", 1], "legacy"] as [JSONValue])
    func `has renderers by their names, each once`(renderers: JSONValue) {
        let json: JSONObject = ["build": "app:1", "version": "1", "renderers": ["a/b": renderers]]
        let error = #expect(throws: RolloutError.self) { try Build(json: json) }
        #expect(error?.details["path"]?.string?.hasPrefix("/renderers/a~1b") == true)
    }

    @Test(arguments: ["step", "flipBacks", "highestHealthyStep"]) func `counts nothing below 0`(name: String) {
        var json = Coded.busyRoute.json
        json[name] = -1
        let error = #expect(throws: RolloutError.self) { try RouteRollout(json: json) }
        #expect(error?.details["path"] == .string("/" + name))
    }
}

@Suite struct `Reading a member` {
    private let object: JSONObject = ["s": "a", "i": 1, "f": 1.0, "b": true, "n": nil, "l": ["x"]]

    @Test func `takes null for absent`() throws {
        #expect(try object.optionalString("n") == nil && object.optionalString("none") == nil)
        #expect(try object.optionalString("s") == "a" && object.optionalInteger("i") == 1)
        #expect(try object.optionalBool("b") == true && object.optionalStrings("l") == ["x"])
    }

    @Test func `mistakes no type for another`() {
        for name in ["f", "s", "b", "n", "none", "l"] {
            #expect(throws: RolloutError.self) { try object.requiredInteger(name) }
        }
        for name in ["i", "b", "n", "l"] { #expect(throws: RolloutError.self) { try object.requiredString(name) } }
        for name in ["i", "s"] { #expect(throws: RolloutError.self) { try object.optionalBool(name) } }
    }

    @Test func `says where it failed`() {
        let error = #expect(throws: RolloutError.self) { try object.requiredObject("a/b~c", at: "/outer") }
        #expect(error == .invalidField("/outer/a~1b~0c", "an object"))
    }
}
