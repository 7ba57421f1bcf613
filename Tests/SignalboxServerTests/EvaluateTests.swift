import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `An evaluation for people` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        _ = try await service.ask(
            .put, "/v1/flags/search",
            [
                "reason": "test",
                "definition": [
                    "state": "ENABLED", "variants": ["old": 1, "new": 2], "defaultVariant": "old",
                    "targeting": ["if": [["$ref": "internal"], "new", ["fractional": [["new", 10], ["old", 90]]]]],
                ],
            ])
    }

    private func ask(_ key: String, _ context: JSONValue, explain: Bool = true) async throws -> Answer {
        try await service.ask(
            .post, "/v1/evaluate/\(key)" + (explain ? "?explain=true" : ""), ["context": context])
    }

    @Test func `of a flag gives the answer and how it came about`() async throws {
        let answer = try await ask("search", ["targetingKey": "u-1", "email": "mia@example.com"])
        #expect(answer.status == 200)
        let json = answer.json
        #expect((json["kind"], json["value"], json["variant"], json["reason"]) == ("flag", 2, "new", "TARGETING_MATCH"))
        #expect(json["bucketing"] == "v2" && json["errorCode"] == .null)
        let explanation = json["explanation"] ?? .null
        #expect(explanation["agrees"] == true && explanation["isCut"] == false)
        let step = explanation["steps"]?.array?.first ?? .null
        #expect(step["operation"] == "if" && step["branch"] == 0)
        #expect(step["steps"]?.array?.first?["cohort"] == "internal")
        let others = try await ask("search", ["targetingKey": "u-2"]).json["explanation"]
        let split = others?["steps"]?.array?.first?["steps"]?.array?.last?["split"] ?? .null
        #expect(split["hashInput"] == "searchu-2" && split["total"] == 100)
    }

    @Test func `without a wish for more is short`() async throws {
        let answer = try await ask("search", [:], explain: false)
        #expect(answer.json["variant"] == "old" && answer.json["explanation"] == nil)
    }

    @Test func `of a route gives the choice of a journey from that build`() async throws {
        try await service.startRollout(of: "trips.edit")
        let known: JSONValue = ["targetingKey": "u-1", "build": "app:730", "email": "mia@example.com"]
        let answer = try await ask("trips.edit", known).json
        #expect(answer["kind"] == "route" && answer["build"] == "app:730")
        #expect(answer["inBuild"] == ["legacy", "migrated"])
        #expect(answer["choice"]?["renderer"] == answer["variant"])
        #expect(answer["choice"]?["reason"] == "cohort")
        #expect(answer["explanation"]?["agrees"] == true)
        let old = try await ask("trips.edit", ["targetingKey": "u-1", "build": "app:720"]).json
        #expect(old["choice"] == ["renderer": "legacy", "reason": "onlyRendererInBuild"])
    }

    @Test(
        arguments: [
            ("nowhere", ["context": [:]], 404, "flag_not_found"), ("search", ["context": 5], 400, "invalid_context"),
            ("search", ["contexts": [:]], 400, "unknown_field"),
        ] as [(String, JSONValue, Int, String)])
    func `is refused in the ordinary shape of errors`(
        key: String, body: JSONValue, status: Int, code: String
    ) async throws {
        let answer = try await service.ask(.post, "/v1/evaluate/\(key)", body)
        #expect((answer.status, answer.code) == (status, code))
    }

    @Test func `is for administrators`() async throws {
        let answer = try await service.ask(
            .post, "/v1/evaluate/search", ["context": [:]], key: try await service.key(.app))
        #expect((answer.status, answer.code) == (403, "forbidden"))
    }
}

@Suite struct `Flag files over HTTP` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
    }

    private static let file: JSONValue = [
        "flags": [
            "search": [
                "state": "ENABLED", "variants": ["new": 1.0, "old": 2], "defaultVariant": "old",
                "targeting": ["fractional": [["new", 10], ["old", 90]]],
            ],
            "plain": ["state": "ENABLED", "variants": ["on": true], "targeting": ["starts_with": ["x"]]],
        ],
        "$evaluators": ["internal": ["ends_with": [["var": "email"], "@example.com"]]],
        "metadata": ["owner": "platform"],
    ]

    private func take(_ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = ["file": Self.file, "reason": "moving in"]
        for (name, value) in more.entries { body[name] = value }
        return try await service.ask(.post, "/v1/flags/import", .object(body))
    }

    @Test func `are taken in once, counted, and given back`() async throws {
        let first = try await take()
        #expect(first.status == 200, "\(first.json)")
        #expect(first.json["flags"] == ["created": 2, "changed": 0, "unchanged": 0, "changedKeys": []])
        #expect(first.json["cohorts"] == ["created": 0, "changed": 0, "unchanged": 1, "changedKeys": []])
        #expect(first.json["warnings"]?.array?.first?["path"] == "/flags/plain/targeting/starts_with")
        let second = try await take()
        #expect(second.json["changed"] == false && second.json["flags"]?["unchanged"] == 2)
        let exported = try await service.ask(.get, "/v1/flags/export")
        #expect(exported.json.canonicalJSON == Self.file.canonicalJSON)
        let whole = try await service.ask(.get, "/v1/flags/export?routes=true")
        #expect(whole.json["flags"]?.object?.keys == ["plain", "search", "trips.detail", "trips.edit"])
        let shown = try await service.ask(.post, "/ofrep/v1/evaluate/flags/plain", [:])
        #expect(shown.json["metadata"]?["owner"] == "platform")
    }

    @Test func `are tried first without changing anything`() async throws {
        let tried = try await take(["dryRun": true])
        #expect(tried.json["flags"]?["created"] == 2 && tried.json["dryRun"] == true)
        #expect(try await service.ask(.get, "/v1/flags").json["flags"] == [])
    }

    @Test(
        arguments: [
            (["strict": true], 400, "rule_warnings"), (["bucketing": "v9"], 400, "invalid_field"),
            (["file": nil], 400, "invalid_flag"), (["file": ["flags": ["x": 1]]], 400, "invalid_flag"),
            (
                ["file": ["flags": ["trips.edit": ["state": "ENABLED", "variants": ["a": 1]]]]], 409,
                "key_taken"
            ),
        ] as [(JSONObject, Int, String)])
    func `are refused as a whole`(more: JSONObject, status: Int, code: String) async throws {
        let answer = try await take(more)
        #expect((answer.status, answer.code) == (status, code))
        #expect(try await service.ask(.get, "/v1/flags").json["flags"] == [])
    }

    @Test func `are asked for in a generation that exists`() async throws {
        let answer = try await service.ask(.get, "/v1/flags/export?bucketing=v1")
        #expect((answer.status, answer.code) == (400, "invalid_query"))
        _ = try await take()
        let other = try await service.ask(.get, "/v1/flags/export?bucketing=v3")
        #expect((other.status, other.code) == (409, "bucketing_mixed"))
    }

    @Test func `or single flags are previewed by the units that would change`() async throws {
        _ = try await take()
        var definition = Self.file["flags"]?["search"]?.object ?? [:]
        definition["targeting"] = ["fractional": [["new", 30], ["old", 70]]]
        let body: JSONValue = ["definition": .object(definition), "reason": "preview", "dryRun": true]
        let tried = try await service.ask(.put, "/v1/flags/search", body)
        let counted = try #require(tried.json["variantsChanged"]?.array?.first)
        #expect(counted["of"] == 100_000 && counted["reshuffles"] == [])
        let pairs = try #require(counted["pairs"]?.array)
        #expect(pairs.map { [$0["from"], $0["to"]] } == [["old", "new"]])
        #expect((19_500...20_500).contains(pairs[0]["units"]?.integer ?? 0))
        definition["targeting"] = ["fractional": [["old", 90], ["new", 10]]]
        let turned: JSONObject = ["definition": .object(definition), "reason": "preview"]
        let refused = try await service.ask(.put, "/v1/flags/search", .object(turned))
        #expect((refused.status, refused.code) == (409, "reshuffles"))
        var meant = turned
        meant["reshuffle"] = true
        meant["dryRun"] = true
        let shown = try await service.ask(.put, "/v1/flags/search", .object(meant))
        #expect(shown.json["variantsChanged"]?.array?.first?["reshuffles"]?.array?.first?["cause"] == "order")
        meant["dryRun"] = nil
        #expect(try await service.ask(.put, "/v1/flags/search", .object(meant)).json["changed"] == true)
    }
}
