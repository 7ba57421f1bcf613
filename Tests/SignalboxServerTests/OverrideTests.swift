import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `Overrides over HTTP` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        _ = try await service.move("trips.edit", "advance")
    }

    private func set(_ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = [
            "route": "trips.edit", "unit": "u-1", "renderer": "migrated", "owner": "QA", "reason": "test plan 7",
            "expiresAt": .integer(service.now + 3_600_000),
        ]
        for (name, value) in more.entries { body[name] = value }
        return try await service.ask(.post, "/v1/overrides", .object(body))
    }

    private func evaluated(_ unit: String) async throws -> (String?, String?) {
        let answer = try await service.ask(
            .post, "/ofrep/v1/evaluate/flags/trips.edit",
            ["context": ["targetingKey": .string(unit), "build": "app:730"]])
        return (answer.json["value"]?.string, answer.json["metadata"]?["choice"]?.string)
    }

    @Test func `decide journeys and OFREP alike, for their unit alone, until they end`() async throws {
        #expect(try await set().status == 201)
        #expect(try await evaluated("u-1") == ("migrated", "override"))
        #expect(try await evaluated("u-2") == ("legacy", "stage"))
        let journey = try await service.start(1)
        #expect(journey.json["choices"]?["trips.edit"] == ["renderer": "migrated", "reason": "override"])
        let flag = try await service.ask(.get, "/v1/routes/trips.edit/flag")
        #expect(flag.json["targeting"]?.jsonText.contains("u-1") == true)
        service.pass(milliseconds: 3_600_000)
        #expect(try await evaluated("u-1") == ("legacy", "stage"))
        let listed = try await service.ask(.get, "/v1/overrides?route=trips.edit")
        #expect(listed.json["overrides"]?.array?.map { $0["holds"] } == [false])
    }

    /// A build without the migrated renderer never gets it, whoever asks.
    @Test func `do not give what the build does not have`() async throws {
        _ = try await set()
        let answer = try await service.ask(
            .post, "/ofrep/v1/evaluate/flags/trips.edit", ["context": ["targetingKey": "u-1", "build": "app:720"]])
        #expect(answer.json["value"] == "legacy")
    }

    @Test func `change the tag of a bulk answer when one ends, and not each second`() async throws {
        _ = try await set()
        let body: JSONValue = ["context": ["targetingKey": "u-1", "build": "app:730"]]
        let tag = { [service] in
            let answer = try await service.ask(.post, "/ofrep/v1/evaluate/flags", body)
            return answer.response.header("ETag")
        }
        let first = try await tag()
        service.pass(milliseconds: 3_599_999)
        #expect(try await tag() == first)
        service.pass(milliseconds: 1)
        #expect(try await tag() != first)
    }

    @Test func `are cleared one by one or all of a route, and by a rollback`() async throws {
        _ = try await set()
        _ = try await set(["unit": "a/b ?&=ü"])
        let one = try await service.ask(
            .delete, "/v1/overrides?route=trips.edit&unit=a%2Fb%20%3F%26%3D%C3%BC&reason=done")
        #expect((one.status, one.json["changed"]) == (200, true))
        #expect(try await service.ask(.get, "/v1/overrides").json["overrides"]?.array?.count == 1)
        _ = try await service.move("trips.edit", "rollback")
        #expect(try await service.ask(.get, "/v1/overrides").json["overrides"] == [])
    }

    @Test(
        arguments: [
            ("?route=trips.edit&reason=x", 400, "invalid_query"), ("?unit=u&reason=x", 400, "invalid_query"),
            ("?route=trips.edit&unit=u&all=true&reason=x", 400, "invalid_query"),
            ("?route=trips.edit&all=true", 400, "reason_required"),
            ("?route=nowhere&all=true&reason=x", 404, "route_not_found"),
        ])
    func `are not cleared by accident`(query: String, status: Int, code: String) async throws {
        let answer = try await service.ask(.delete, "/v1/overrides" + query)
        #expect((answer.status, answer.code) == (status, code))
    }

    @Test(
        arguments: [
            (["route": "trips.detail"], 409, "override_not_allowed"), (["route": "x"], 404, "route_not_found"),
            (["expiresAt": 1], 400, "invalid_field"), (["renderer": "new"], 400, "invalid_field"),
            (["owner": nil], 400, "invalid_field"), (["more": 1], 400, "unknown_field"),
        ] as [(JSONObject, Int, String)])
    func `are refused where they make no sense`(more: JSONObject, status: Int, code: String) async throws {
        let answer = try await set(more)
        #expect((answer.status, answer.code) == (status, code))
    }
}

@Suite struct `A build that nobody registered` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        for _ in 0..<2 { _ = try await service.move("trips.edit", "advance") }
        _ = try await service.move("trips.edit", "advance")
    }

    private func renderers(_ build: String?, has: JSONValue = nil) async throws -> [String?] {
        var context: JSONObject = ["targetingKey": "u-1"]
        if let build { context["build"] = .string(build) }
        let open = try await service.ask(
            .post, "/ofrep/v1/evaluate/flags/trips.edit", ["context": .object(context)])
        guard let build else { return [open.json["value"]?.string] }
        var more: JSONObject = ["build": .string(build)]
        if !has.isNull { more["has"] = has }
        let number = UInt64(abs(build.hashValue % 1_000_000)) * 2 + (has.isNull ? 0 : 1)
        let journey = try await service.start(number, more)
        return [open.json["value"]?.string, journey.json["choices"]?["trips.edit"]?["renderer"]?.string]
    }

    @Test func `has legacy only, unless the environment trusts it`() async throws {
        #expect(try await service.ask(.get, "/v1/environment").json["unknownBuild"] == "legacy")
        #expect(try await renderers("app:999") == ["legacy", "legacy"])
        #expect(try await renderers(nil) == ["legacy"])
        let edited = try await service.ask(.patch, "/v1/environment", ["unknownBuild": "trust", "reason": "beta"])
        #expect(edited.status == 200)
        #expect(edited.json["environment"]?["unknownBuild"] == "trust")
        #expect(try await renderers("app:998") == ["migrated", "migrated"])
        #expect(try await renderers(nil) == ["migrated"])
        // What it says that it has is believed; a registered build is still asked for its manifest.
        #expect(try await renderers("app:997", has: ["trips.edit": ["legacy"]]) == ["migrated", "legacy"])
        #expect(try await renderers("app:720") == ["legacy", "legacy"])
        let again = try await service.ask(.patch, "/v1/environment", ["unknownBuild": "trust", "reason": "beta"])
        #expect(again.json["changed"] == false)
    }

    @Test func `is judged in one of two ways`() async throws {
        let answer = try await service.ask(.patch, "/v1/environment", ["unknownBuild": "maybe", "reason": "x"])
        #expect((answer.status, answer.code) == (400, "invalid_field"))
    }
}
