import FlagEvaluation
import HTTPServer
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `OFREP` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await put(
            "search",
            [
                "state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "off",
                "targeting": ["if": [["ends_with": [["var": "email"], "@example.com"]], "on", nil]],
                "metadata": ["team": "search"],
            ])
        try await put("size", ["state": "ENABLED", "variants": ["full": 1.0], "defaultVariant": "full"])
        try await put("gone", ["state": "DISABLED", "variants": ["on": true], "defaultVariant": "on"])
        try await put("silent", ["state": "ENABLED", "variants": ["on": true], "defaultVariant": nil])
        try await put(
            "odd",
            ["state": "ENABLED", "variants": ["on": true], "defaultVariant": "on", "targeting": ["cat": ["x", "y"]]])
    }

    private func put(_ key: String, _ definition: JSONValue) async throws {
        let answer = try await service.ask(
            .put, "/v1/flags/\(key)", ["definition": definition, "reason": "test"])
        #expect(answer.status == 201, "\(answer.json)")
    }

    private func evaluate(_ key: String, _ context: JSONObject = [:]) async throws -> Answer {
        try await service.ask(.post, "/ofrep/v1/evaluate/flags/\(key)", ["context": .object(context)])
    }

    @Test func `answers each case as the standard asks`() async throws {
        let table: [(key: String, email: String, body: String)] = [
            (
                "search", "mia@example.com",
                #"{"key":"search","value":true,"variant":"on","reason":"TARGETING_MATCH","metadata":{"team":"search"}}"#
            ),
            (
                "search", "",
                #"{"key":"search","value":false,"variant":"off","reason":"DEFAULT","metadata":{"team":"search"}}"#
            ),
            ("size", "", #"{"key":"size","value":1.0,"variant":"full","reason":"STATIC","metadata":{}}"#),
            ("gone", "", #"{"key":"gone","variant":"","reason":"DISABLED","metadata":{}}"#),
            ("silent", "", #"{"key":"silent","variant":"","reason":"DEFAULT","metadata":{}}"#),
        ]
        for row in table {
            let answer = try await evaluate(row.key, ["email": .string(row.email)])
            #expect(answer.status == 200)
            #expect(String(decoding: answer.response.body, as: UTF8.self) == row.body)
        }
    }

    @Test(arguments: ["?page=1&page=2", "/search?page=1"])
    func `passes over query parameters that it does not know`(target: String) async throws {
        #expect(try await service.ask(.post, "/ofrep/v1/evaluate/flags\(target)").status == 200)
    }

    @Test func `answers a route whatever the metadata of the set is called`() async throws {
        let set: JSONValue = ["flags": [:], "metadata": ["choice": "theirs", "team": "core"]]
        let imported = try await service.ask(.post, "/v1/flags/import", ["file": set, "reason": "test"])
        #expect(imported.status == 200, "\(imported.json)")
        let answer = try await service.ask(.post, "/ofrep/v1/evaluate/flags/trips.edit")
        #expect(answer.json["metadata"]?["choice"] == "onlyRendererInBuild", "\(answer.json)")
        #expect(answer.json["metadata"]?["team"] == "core")
        #expect(answer.json["metadata"]?["step"] == 0)
    }

    @Test func `has its words as bytes too`() {
        for reason in Reason.allCases { #expect("\(reason.text)" == reason.rawValue) }
        for reason in ChoiceReason.allCases { #expect("\(reason.text)" == reason.rawValue) }
    }

    @Test func `writes a whole float with its fraction`() async throws {
        let text = String(decoding: try await evaluate("size").response.body, as: UTF8.self)
        #expect(text.contains("\"value\":1.0,"))
    }

    @Test func `fails with a code and details in its own shape`() async throws {
        let unknown = try await evaluate("nothing")
        #expect((unknown.status, unknown.json["errorCode"]) == (404, "FLAG_NOT_FOUND"))
        let odd = try await evaluate("odd")
        #expect((odd.status, odd.json["errorCode"]) == (400, "GENERAL"))
        for answer in [unknown, odd] {
            #expect(answer.json["key"]?.string != nil)
            #expect(answer.json["errorDetails"]?.string?.isEmpty == false)
        }
    }

    @Test(arguments: [
        ("", 200, nil), ("{}", 200, nil), ("{\"context\":null}", 200, nil),
        ("{\"context\":[]}", 400, "INVALID_CONTEXT"),
        ("[]", 400, "INVALID_CONTEXT"), ("{\"context\":", 400, "PARSE_ERROR"), ("\u{0}", 400, "PARSE_ERROR"),
        ("{\"context\":{\"a\":1,\"a\":2}}", 400, "PARSE_ERROR"), ("{\"context\":{\"a\":NaN}}", 400, "PARSE_ERROR"),
        ("{\"context\":{\"a\":1e400}}", 400, "PARSE_ERROR"),
        ("{\"context\":{\"a\":18446744073709551616}}", 400, "PARSE_ERROR"),
        ("{\"context\":{\"a\":\"\\ud800\"}}", 400, "PARSE_ERROR"),
        (String(repeating: "{\"a\":", count: 5000), 400, "INVALID_CONTEXT"),
    ])
    func `takes a missing context and refuses a broken one`(_ text: String, _ status: Int, _ code: String?) async throws
    {
        for target in ["/ofrep/v1/evaluate/flags/search", "/ofrep/v1/evaluate/flags"] {
            let answer = try await service.ask(.post, target, text: text)
            #expect(answer.status == status, "\(text.prefix(30))")
            #expect(answer.json["errorCode"]?.string == code, "\(text.prefix(30))")
        }
    }

    @Test func `lists everything in bulk by key, a failing flag among it`() async throws {
        let answer = try await service.ask(.post, "/ofrep/v1/evaluate/flags", ["context": ["targetingKey": "u-1"]])
        #expect(answer.status == 200)
        let flags = try #require(answer.json["flags"]?.array)
        #expect(flags.map { $0["key"] } == ["gone", "odd", "search", "silent", "size", "trips.detail", "trips.edit"])
        #expect(flags[1]["errorCode"] == "GENERAL")
        for flag in flags where flag["key"] != "trips.edit" && flag["key"] != "trips.detail" {
            let single = try await evaluate(flag["key"]?.string ?? "", ["targetingKey": "u-1"])
            #expect(single.json == flag)
        }
    }

    @Test func `answers 304 for a tag that still holds, in any form, and not for another context`() async throws {
        let target = "/ofrep/v1/evaluate/flags"
        let body: JSONValue = ["context": ["targetingKey": "u-1"]]
        let tag = try #require(try await service.ask(.post, target, body).response.header("ETag"))
        for form in [tag, "W/\(tag)", "\"x\", \(tag)"] {
            let answer = try await service.ask(.post, target, body, headers: [("If-None-Match", form)])
            #expect(answer.status == 304)
            #expect(answer.response.header("ETag") == tag)
        }
        let known = [("If-None-Match", tag)]
        let other = try await service.ask(.post, target, ["context": ["targetingKey": "u-2"]], headers: known)
        #expect(other.status == 200)
        _ = try await service.ask(.post, "/v1/flags/search/disable", ["reason": "test"])
        #expect(try await service.ask(.post, target, body, headers: known).status == 200)
    }

    @Test func `answers a route like any flag, but never a renderer that the build lacks`() async throws {
        try await service.startRollout(of: "trips.edit")
        var seen: Set<String> = []
        for number in 0..<50 {
            let context: JSONObject = ["targetingKey": .string("u-\(number)"), "email": "mia@example.com"]
            var inBuild = context
            inBuild["build"] = "app:730"
            let answer = try await evaluate("trips.edit", inBuild)
            seen.insert(answer.json["value"]?.string ?? "")
            #expect(answer.json["metadata"]?["choice"] == "cohort")
            #expect(answer.json["metadata"]?["stage"] == "partialRollout")
            let journey = try await service.start(UInt64(number))
            #expect(journey.json["choices"]?["trips.edit"]?["renderer"] == answer.json["value"])
            for build in ["app:720", "app:1", "nonsense"] {
                inBuild["build"] = .string(build)
                let older = try await evaluate("trips.edit", inBuild)
                #expect(older.json["value"] == "legacy")
                #expect(older.json["metadata"]?["choice"] == "onlyRendererInBuild")
            }
            #expect(try await evaluate("trips.edit", context).json["value"] == "legacy")
        }
        #expect(seen == ["legacy", "migrated"])
    }
}
