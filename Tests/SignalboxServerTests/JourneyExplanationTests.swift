import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `The explanation of a journey` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        try await service.startRollout(of: "trips.edit")
    }

    private func explain(_ number: UInt64, _ context: JSONValue = ["email": "mia@example.com"]) async throws -> Answer {
        try await service.ask(.post, "/v1/journeys/\(service.journeyID(number))/explain", ["context": context])
    }

    @Test func `recomputes it while its revision is the current one`() async throws {
        for number in 1...8 as ClosedRange<UInt64> {
            _ = try await service.start(number)
            let answer = try await explain(number)
            #expect(answer.status == 200)
            #expect(answer.json["basis"] == "current")
            let route = answer.json["routes"]?["trips.edit"] ?? .null
            #expect(route["agrees"] == true && route["step"] == 1 && route["stage"] == "partialRollout")
            #expect(route["stored"]?["reason"] == "cohort")
            let bucket = try #require(answer.json["bucket"]?.integer)
            #expect((bucket < 50_000) == (route["stored"]?["renderer"] == "migrated"))
            #expect(route["inBuild"] == ["legacy", "migrated"])
        }
    }

    @Test func `takes back what changed since, as the audit tells it`() async throws {
        _ = try await service.start(1)
        let before = try await explain(1)
        _ = try await service.move("trips.edit", "rollback")
        _ = try await service.ask(
            .put, "/v1/cohorts/internal", ["rule": ["var": "nothing"], "reason": "another rule"])
        _ = try await service.ask(.patch, "/v1/environment", ["unknownBuild": "trust", "reason": "test"])
        let after = try await explain(1)
        #expect(after.json["basis"] == "audit")
        #expect(after.json["routes"] == before.json["routes"])
        #expect(after.json["bucket"] == before.json["bucket"])
        #expect(after.json["notes"]?.array?.contains { $0.string?.contains("taken back") == true } == false)
    }

    /// Without the attributes a cohort cannot be known again, and that is said.
    @Test func `does not claim more than can be told`() async throws {
        _ = try await service.start(1)
        let answer = try await explain(1, [:])
        #expect(answer.json["routes"]?["trips.edit"]?["agrees"] == false)
        #expect(answer.json["notes"]?.array?.contains { $0.string?.contains("No attributes") == true } == true)
    }

    @Test(
        arguments: [
            ("journeys/x/explain", 400, "invalid_journey_id"),
            ("journeys/01900000-0000-7000-8000-000000000001/explain", 404, "journey_not_found"),
        ])
    func `is refused for what is no journey`(path: String, status: Int, code: String) async throws {
        let answer = try await service.ask(.post, "/v1/\(path)", [:])
        #expect((answer.status, answer.code) == (status, code))
    }

    @Test func `is for administrators`() async throws {
        _ = try await service.start(1)
        let key = try await service.key(.server)
        let answer = try await service.ask(.post, "/v1/journeys/\(service.journeyID(1))/explain", [:], key: key)
        #expect(answer.status == 403)
    }
}
