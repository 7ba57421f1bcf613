import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Testing

@testable import SignalboxServer

@Suite struct `The forecast of the service` {
    private static let day: Int64 = 86_400_000

    /// Two routes of which one has come to defaultNew ten days after all began, and some versions of the app.
    private func underWay() async throws -> TestService {
        let service = try TestService()
        try await service.registerTrips()
        service.pass(milliseconds: 10 * Self.day)
        try await service.startRollout(of: "trips.edit")
        for _ in 1...2 { _ = try await service.move("trips.edit", "advance") }
        for number in 731...734 as ClosedRange<Int64> {
            let body: JSONObject = [
                "version": .string("7.\(number)"), "releasedAt": .integer(service.now - number), "reason": "test",
                "renderers": ["trips.edit": ["legacy", "migrated"], "trips.detail": ["legacy", "migrated"]],
            ]
            #expect(try await service.ask(.put, "/v1/builds/app:\(number)", .object(body)).status == 201)
        }
        service.pass(milliseconds: 20 * Self.day)
        return service
    }

    @Test func `says what both models make of the routes, and what came of them`() async throws {
        let service = try await underWay()
        let answer = try await service.ask(.get, "/v1/forecast?share=50000&days=60")
        #expect(answer.status == 200, "\(answer.json)")
        let json = answer.json
        #expect((json["flow"], json["stage"], json["share"]) == (.null, "defaultNew", 50_000))
        #expect(json["routes"] == ["total": 2, "done": 1, "left": 1, "islands": 0])
        // 7.731 to 7.734, and app:720 and app:730 a month ago.
        #expect(json["releases"] == ["days": 60, "apps": ["app": 6], "limitingApp": "app", "intervalDays": 10])
        let at = JSONValue.integer(service.now + 10 * Self.day)
        #expect(json["linear"]?["routesPerRelease"] == 1)
        #expect(
            json["linear"]?["fromNow"]?.array?.last == ["part": 100_000, "releases": 1, "wholeReleases": 1, "at": at])
        #expect(json["linear"]?["fromStart"]?.array?.last == ["part": 100_000, "releases": 2, "wholeReleases": 2])
        #expect(json["randomTouching"]?["leftAfterRelease"] == 50_000)
        #expect(json["randomTouching"]?["fromNow"]?.array?.last?["wholeReleases"] == 6)
        // The audit began 30 days ago; nothing is concluded from the days before.
        #expect(
            json["observed"] == [
                "since": .integer(service.now - 30 * Self.day), "until": .integer(service.now), "reached": 1,
                "fellBack": 0, "perRelease": .float(0.33), "per30Days": 1,
                "at": .integer(service.now + 30 * Self.day),
            ])
    }

    @Test func `takes off a route that was rolled back, and says that nothing leads to the end`() async throws {
        let service = try await underWay()
        _ = try await service.move("trips.edit", "rollback")
        let json = try await service.ask(.get, "/v1/forecast").json
        #expect(json["routes"]?["done"] == 0)
        #expect((json["observed"]?["reached"], json["observed"]?["fellBack"]) == (1, 1))
        #expect((json["observed"]?["per30Days"], json["observed"]?["at"]) == (0, .null))
        #expect((json["share"], json["releases"]?["days"]) == (5_000, 90), "unless something else is asked for")
    }

    @Test func `takes off a route that a document rolled back`() async throws {
        let service = try await underWay()
        var document = try #require(try await service.ask(.get, "/v1/config/export").json.object)
        var routes = try #require(document["routes"]?.object)
        var route = try #require(routes["trips.edit"]?.object)
        route["status"] = "rolledBack"
        routes["trips.edit"] = .object(route)
        document["routes"] = .object(routes)
        let applied = try await service.ask(
            .post, "/v1/config/apply", ["document": .object(document), "reason": "test"])
        #expect(applied.json["changed"] == true, "\(applied.json)")
        let observed = try await service.ask(.get, "/v1/forecast").json["observed"]
        #expect((observed?["reached"], observed?["fellBack"]) == (1, 1))
    }

    @Test func `is of a stage and of a flow`() async throws {
        let service = try await underWay()
        _ = try await service.ask(.post, "/v1/flows", ["key": "none", "owner": "ana", "reason": "test"])
        let ladder = try await service.ask(.get, "/v1/forecast?stage=partialRollout&flow=trips").json
        #expect((ladder["routes"]?["done"], ladder["observed"]?["reached"]) == (1, 1))
        let deleted = try await service.ask(.get, "/v1/forecast?stage=oldDeleted").json
        #expect((deleted["routes"]?["done"], deleted["observed"]?["reached"]) == (0, 0))
        let none = try await service.ask(.get, "/v1/forecast?flow=none&share=0").json
        #expect(none["routes"]?["total"] == 0)
        #expect(none["linear"]?["fromNow"]?.array?.last?["releases"] == 0)
        #expect(none["releases"]?["limitingApp"] == .null)
        let never = try await service.ask(.get, "/v1/forecast?share=0").json
        #expect(never["randomTouching"]?["fromNow"]?.array?.last?["releases"] == .null)
    }

    /// Moves are more than a page of the audit back.
    @Test func `looks further back than one page of the audit`() async throws {
        let service = try await underWay()
        let flag: JSONValue = ["state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "on"]
        _ = try await service.ask(.put, "/v1/flags/f", ["definition": flag, "reason": "test"])
        for number in 1...1_010 {
            let verb = number.isMultiple(of: 2) ? "enable" : "disable"
            _ = try await service.ask(.post, "/v1/flags/f/\(verb)", ["reason": "test"])
        }
        let newest = try await service.ask(.get, "/v1/audit?last=1000").json["entries"]?.array ?? []
        #expect(newest.count == 1_000 && newest.allSatisfy { $0["subject"] == "flag/f" })
        #expect(try await service.ask(.get, "/v1/forecast").json["observed"]?["reached"] == 1)
        let recent = try await service.ask(.get, "/v1/forecast?days=7").json["observed"]
        #expect((recent?["reached"], recent?["since"]) == (0, .integer(service.now - 7 * Self.day)))
    }

    @Test(arguments: [
        "share=-1", "share=100001", "share=5%25", "share=", "stage=notStarted", "stage=nope", "stage=", "days=6",
        "days=367", "days=9223372036854775808", "flow=nope", "flow=",
    ])
    func `refuses what it cannot read`(query: String) async throws {
        let service = try TestService()
        let answer = try await service.ask(.get, "/v1/forecast?\(query)")
        let isFlow = query.hasPrefix("flow")
        #expect((answer.status, answer.code) == (isFlow ? 404 : 400, isFlow ? "flow_not_found" : "invalid_query"))
    }

    @Test func `is told to no more than may look through the audit at once`() async throws {
        let service = try TestService()
        while service.service.beginLookingBack(for: .read) {}
        let answer = try await service.ask(.get, "/v1/forecast")
        #expect((answer.status, answer.code) == (503, "store_overloaded"))
        service.service.endLookingBack()
        for _ in 1...3 { #expect(try await service.ask(.get, "/v1/forecast").status == 200) }
    }
}
