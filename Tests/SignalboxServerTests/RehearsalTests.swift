import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Testing

@testable import SignalboxServer

@Suite struct `A rehearsal` {
    private func compatible() async throws -> TestService {
        let service = try TestService()
        try await service.registerTrips()
        _ = try await service.move("trips.edit", "advance")
        return service
    }

    private func rehearse(_ service: TestService, _ more: JSONObject = [:]) async throws -> Answer {
        var body: JSONObject = ["cohort": "internal", "seconds": 60, "reason": "test"]
        for (name, value) in more.entries { body[name] = value }
        return try await service.ask(.post, "/v1/routes/trips.edit/rehearse", .object(body))
    }

    private func renderer(
        _ service: TestService, _ number: UInt64, unit: String, email: String = "mia@example.com"
    ) async throws -> String? {
        let answer = try await service.start(
            number, ["unit": .string(unit), "context": ["email": .string(email)]])
        return answer.json["choices"]?["trips.edit"]?["renderer"]?.string
    }

    /// Lets the service look, and waits until what that began is stored.
    private func look(_ service: TestService) async throws {
        service.service.climb()
        for _ in 0..<3 {
            _ = try await service.ask(.patch, "/v1/routes/trips.edit", ["owner": "Trips team", "reason": "nothing"])
        }
    }

    @Test func `flips a cohort and back, and keeps what that took as evidence`() async throws {
        let service = try await compatible()
        #expect(try await rehearse(service).json["route"]?["rehearsal"]?["isBack"] == false)
        service.pass(milliseconds: 2_000)
        #expect(try await renderer(service, 1, unit: "a") == "migrated")
        #expect(try await renderer(service, 2, unit: "b", email: "mia@elsewhere.org") == "legacy")
        service.pass(milliseconds: 58_000)
        // The rule's own clock takes it back before anybody has written that down.
        #expect(try await renderer(service, 3, unit: "c") == "legacy")
        try await look(service)
        let turned = try await service.ask(.get, "/v1/routes/trips.edit")
        #expect(turned.json["rehearsal"]?["isBack"] == true)
        service.pass(milliseconds: 5_000)
        #expect(try await renderer(service, 4, unit: "a") == "legacy")
        service.pass(milliseconds: 55_000)
        try await look(service)
        #expect(try await service.ask(.get, "/v1/routes/trips.edit").json["rehearsal"] == nil)
        let items = service.service.store.evidence.items(.rehearsal, of: "trips.edit")
        #expect(items.count == 1, "\(service.lines)")
        let item = try #require(items.first)
        #expect(item.build.text == "app:730" && item.finding.verdict == .pass)
        #expect(item.finding.reasons.first == "1 units given migrated after p50 2000 ms, p95 2000 ms")
        #expect(item.finding.reasons.last == "1 back on legacy after p50 5000 ms, p95 5000 ms")
        let gates = try await service.ask(.get, "/v1/routes/trips.edit/gates").json["gates"]?.array ?? []
        #expect(gates.contains { $0["name"] == "rehearsal" && $0["verdict"] == "pass" }, "\(gates)")
    }

    @Test func `is ended at once by a rollback, and on demand`() async throws {
        let service = try await compatible()
        _ = try await rehearse(service)
        #expect(try await renderer(service, 1, unit: "a") == "migrated")
        _ = try await service.move("trips.edit", "rollback")
        #expect(try await renderer(service, 2, unit: "a") == "legacy")
        #expect(try await service.ask(.get, "/v1/routes/trips.edit").json["rehearsal"] == nil)
        #expect(try await rehearse(service).code == "illegal_move")
        _ = try await service.move("trips.edit", "resume", ["cause": "none"])
        _ = try await rehearse(service)
        let ended = try await service.ask(
            .post, "/v1/routes/trips.edit/rehearse", ["end": true, "reason": "enough"])
        #expect(ended.json["route"]?["rehearsal"] == nil && ended.status == 200)
        #expect(try await renderer(service, 3, unit: "a") == "legacy")
    }

    /// What was measured before is gone with the process: half a measurement is none.
    @Test func `in which the service was started again leaves no evidence, and says so`() async throws {
        let first = try await compatible()
        _ = try await rehearse(first)
        #expect(try await renderer(first, 1, unit: "a") == "migrated")
        first.service.close()
        let again = try TestService(reopening: first)
        #expect(try await renderer(again, 2, unit: "b") == "migrated")
        again.pass(milliseconds: 60_000)
        try await look(again)
        #expect(try await renderer(again, 3, unit: "b") == "legacy")
        again.pass(milliseconds: 60_000)
        try await look(again)
        #expect(try await again.ask(.get, "/v1/routes/trips.edit").json["rehearsal"] == nil)
        #expect(again.service.store.evidence.items(.rehearsal, of: "trips.edit").isEmpty)
        #expect(again.lines.contains { $0.hasPrefix("rehearsal_lost") }, "\(again.lines)")
        _ = try await rehearse(again)
        #expect(try await renderer(again, 4, unit: "b") == "migrated")
        again.pass(milliseconds: 60_000)
        try await look(again)
        #expect(try await renderer(again, 5, unit: "b") == "legacy")
        again.pass(milliseconds: 60_000)
        try await look(again)
        #expect(again.service.store.evidence.items(.rehearsal, of: "trips.edit").count == 1, "\(again.lines)")
    }

    @Test func `that nobody took part in leaves no evidence`() async throws {
        let service = try await compatible()
        _ = try await rehearse(service)
        for _ in 0..<2 {
            service.pass(milliseconds: 60_000)
            try await look(service)
        }
        #expect(service.service.store.evidence.items(.rehearsal, of: "trips.edit").isEmpty)
        #expect(service.lines.contains { $0.hasPrefix("rehearsal_empty") })
    }

    @Test(
        arguments: [
            (["cohort": "nobody"], "cohort_not_found"), (["seconds": 59], "invalid_field"),
            (["seconds": 3_601], "invalid_field"), (["cohort": nil], "invalid_field"), (["more": 1], "unknown_field"),
        ] as [(JSONObject, String)])
    func `is refused when it says nothing that can be meant`(members: JSONObject, code: String) async throws {
        let service = try await compatible()
        #expect(try await rehearse(service, members).code == code)
    }

    @Test func `comes before the ladder only, once at a time, with a cohort that stands still`() async throws {
        let service = try await compatible()
        _ = try await rehearse(service)
        #expect(try await rehearse(service).json["changed"] == false)
        let cohort: JSONValue = ["rule": ["==": [["var": "team"], "x"]], "reason": "test"]
        #expect(try await service.ask(.put, "/v1/cohorts/internal", cohort).code == "cohort_in_ladder")
        let removed = try await service.ask(.delete, "/v1/cohorts/internal?reason=x")
        #expect(removed.code == "cohort_in_use")
        let other = try TestService()
        try await other.registerTrips()
        #expect(try await rehearse(other).code == "illegal_move")
    }

    @Test(arguments: [([], 0), ([7], 7), ([1, 2], 1), ([1, 2, 3, 4], 2)] as [([Int64], Int64)])
    func `takes the middle of what it measured`(times: [Int64], expected: Int64) {
        #expect(times.percentile(50) == expected)
        #expect(times.percentile(95) == times.last ?? 0)
    }
}
