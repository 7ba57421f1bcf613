import FlagEvaluation
import HTTPServer
import Testing

@testable import SignalboxServer

@Suite struct `A rollback of a part` {
    private func rollingOut() async throws -> TestService {
        let service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
        _ = try await service.move("trips.edit", "advance")
        return service
    }

    private func choice(_ service: TestService, _ number: UInt64, os: String?) async throws -> JSONValue {
        var context: JSONObject = ["email": "mia@example.com"]
        context["os"] = os.map { .string($0) }
        let answer = try await service.start(number, ["context": .object(context)])
        return answer.json["choices"]?["trips.edit"] ?? .null
    }

    @Test func `gives legacy to whom it names and to who does not tell, until it is lifted`() async throws {
        let service = try await rollingOut()
        let answer = try await service.move("trips.edit", "rollback", ["os": ">=17 <18", "level": "abort"])
        #expect(answer.json["publishedAfterMilliseconds"] == 0)
        let exclusion = try #require(answer.json["route"]?["exclusions"]?.array?.first)
        #expect(exclusion["level"] == "abort" && exclusion["scope"] == ["os": ">=17 <18"])
        for os in ["17.2", nil] {
            #expect(
                try await choice(service, os == nil ? 1 : 2, os: os) == ["renderer": "legacy", "reason": "rolledBack"])
        }
        #expect(try await choice(service, 3, os: "18")["renderer"] == "migrated")
        let id = try #require(exclusion["id"])
        _ = try await service.move("trips.edit", "resume", ["scope": id])
        #expect(try await choice(service, 4, os: "17.2")["renderer"] == "migrated")
    }

    @Test func `comes before an override and is explained`() async throws {
        let service = try await rollingOut()
        _ = try await service.ask(
            .post, "/v1/overrides",
            [
                "route": "trips.edit", "unit": "u-1", "renderer": "migrated", "owner": "ana", "reason": "test",
                "expiresAt": .integer(service.now + 3_600_000),
            ])
        _ = try await service.move("trips.edit", "rollback", ["builds": "app:730"])
        #expect(try await choice(service, 1, os: nil) == ["renderer": "legacy", "reason": "rolledBack"])
        let context: JSONValue = ["context": ["targetingKey": "u-1", "build": "app:730"]]
        let evaluated = try await service.ask(.post, "/v1/evaluate/trips.edit", context)
        #expect(evaluated.json["variant"] == "legacy" && evaluated.json["exclusion"]?["level"] == "drain")
        let explained = try await service.ask(.post, "/v1/journeys/\(service.journeyID(1))/explain")
        let route = explained.json["routes"]?["trips.edit"]
        #expect(route?["agrees"] == true && route?["exclusion"]?["scope"] == ["builds": "app:730..app:730"])
        let shown = try await service.ask(.get, "/v1/routes/trips.edit/flag")
        #expect(shown.json.jsonText.contains("app:"))
    }

    @Test(
        arguments: [
            (["builds": "soon"], 400, "invalid_scope"), (["os": "iOS 17"], 400, "invalid_scope"),
            (["app": "no app"], 400, "invalid_scope"), (["builds": 7], 400, "invalid_field"),
            (["app": "tv"], 409, "scope_matches_nothing"), (["builds": "9.0..9.9"], 409, "scope_matches_nothing"),
            (["level": "hard"], 400, "invalid_field"), (["osversion": "17"], 400, "unknown_field"),
        ] as [(JSONObject, Int, String)])
    func `is refused when it says nothing that can be meant, and changes nothing`(
        members: JSONObject, status: Int, code: String
    ) async throws {
        let service = try await rollingOut()
        var body = members
        body["reason"] = "test"
        let before = service.service.snapshot.configuration
        for path in ["/v1/routes/trips.edit/rollback", "/v1/flows/trips/rollback", "/v1/rollback"] {
            let answer = try await service.ask(.post, path, .object(body))
            #expect(answer.status == status && answer.code == code, "\(path): \(answer.json)")
        }
        #expect(service.service.snapshot.configuration == before)
    }

    @Test func `leaves the others to lose migrated, as a dry run of more tells`() async throws {
        let service = try await rollingOut()
        let all: JSONValue = ["toMigrated": 0, "toLegacy": 100_000, "of": 100_000]
        let none: JSONValue = ["toMigrated": 0, "toLegacy": 0, "of": 100_000]
        func tried(_ path: String, _ more: JSONObject = [:]) async throws -> JSONValue? {
            var body = more
            body["reason"] = "test"
            body["dryRun"] = true
            let answer = try await service.ask(.post, path, .object(body))
            #expect(answer.status == 200, "\(answer.json)")
            return answer.json["unitsChanged"]
        }
        #expect(try await tried("/v1/rollback", ["os": ">=17 <18"]) == all)
        let answer = try await service.move("trips.edit", "rollback", ["os": ">=17 <18"])
        let id = try #require(answer.json["route"]?["exclusions"]?.array?.first?["id"])
        #expect(try await tried("/v1/rollback") == all)
        #expect(try await tried("/v1/rollback", ["app": "app"]) == all)
        #expect(try await tried("/v1/rollback", ["os": ">=17 <18", "level": "abort"]) == none)
        #expect(
            try await tried("/v1/routes/trips.edit/resume", ["scope": id])
                == ["toMigrated": 100_000, "toLegacy": 0, "of": 100_000])
        #expect(try await tried("/v1/routes/trips.edit/hold") == none)
    }

    @Test func `is lifted by its own id only`() async throws {
        let service = try await rollingOut()
        for body: JSONValue in [["scope": "s1", "reason": "x"], ["scope": "", "reason": "x"]] {
            let answer = try await service.ask(.post, "/v1/routes/trips.edit/resume", body)
            #expect(answer.status == 404 && answer.code == "scope_not_found")
        }
        let both = try await service.ask(
            .post, "/v1/routes/trips.edit/resume", ["scope": "s1", "step": 1, "reason": "x"])
        #expect(both.code == "invalid_field")
    }
}
