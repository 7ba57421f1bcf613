import FlagEvaluation
import HTTPServer
import Storage
import Testing

@testable import SignalboxServer

@Suite struct `A batch of journeys` {
    private func batch(_ service: TestService, _ starts: [JSONValue]) async throws -> Answer {
        try await service.ask(.post, "/v1/journeys/batch", ["journeys": .array(starts)])
    }

    @Test func `answers each start as the single call would, in one commit`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        let alone = try await service.start(1)
        let before = service.service.store.counters.reading
        let starts = (1...500).map { service.startBody($0) }
        let answer = try await batch(service, starts)
        #expect(answer.status == 200)
        let items = try #require(answer.json["journeys"]?.array)
        #expect(items.count == 500)
        #expect(items[0] == ["status": 200, "journey": alone.json])
        for (index, item) in items.enumerated().dropFirst() {
            #expect(item["status"] == 201)
            #expect(item["journey"]?["id"] == .string(service.journeyID(UInt64(index + 1))))
            #expect(item["journey"]?["pinned"] == true)
        }
        let after = service.service.store.counters.reading
        #expect(after.batches.reduce(0, +) == before.batches.reduce(0, +) + 1)
        #expect(after.tally.started == before.tally.started + 499)
        #expect(try await service.ask(.get, "/v1/journeys/\(service.journeyID(500))").status == 200)
    }

    @Test func `fails a bad item alone`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        _ = try await service.start(9)
        let answer = try await batch(
            service,
            [
                service.startBody(1), [], service.startBody(2, ["flow": "none"]), service.startBody(3, ["build": "x"]),
                service.startBody(4, ["more": 1]), service.startBody(9, ["unit": "somebody-else"]),
                service.startBody(5),
                service.startBody(5),
            ])
        let items = try #require(answer.json["journeys"]?.array)
        #expect(items.map { $0["status"] } == [201, 400, 404, 400, 400, 409, 201, 200])
        #expect(
            items.map { $0["error"]?["code"]?.string } == [
                nil, "invalid_json", "flow_not_found", "invalid_build", "unknown_field", "journey_mismatch", nil, nil,
            ])
        #expect(items[6]["journey"] == items[7]["journey"])
    }

    @Test func `may be empty, but neither larger than 500 nor anything else`() async throws {
        let service = try TestService()
        #expect(try await batch(service, []).json == ["journeys": []])
        let large = try await batch(service, Array(repeating: [:], count: 501))
        #expect((large.status, large.code) == (400, "invalid_field"))
        for (text, code) in [
            ("", "body_required"), ("[]", "invalid_json"), ("{}", "invalid_field"), ("{\"a\":1}", "unknown_field"),
        ] {
            let answer = try await service.ask(.post, "/v1/journeys/batch", text: text)
            #expect((answer.status, answer.code) == (400, code))
        }
    }
}
