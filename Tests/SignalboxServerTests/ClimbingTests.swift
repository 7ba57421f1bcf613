import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `The service's own climbing` {
    private static let hour: Int64 = 3_600_000

    /// A service whose route stands at step 1 of a ladder that is climbed by itself.
    private func climbing(_ steps: JSONValue, advance: String = "automatic") async throws -> TestService {
        let service = try TestService()
        try await service.registerTrips()
        let plan: JSONValue = ["steps": steps, "advance": .string(advance)]
        let answer = try await service.ask(.patch, "/v1/routes/trips.edit", ["plan": plan, "reason": "test"])
        #expect(answer.status == 200, "\(answer.json)")
        try await service.startRollout(of: "trips.edit")
        return service
    }

    /// Climbs, and waits until that is stored: changes are made in their order.
    private func climb(_ service: TestService) async throws {
        service.service.climb()
        let answer = try await service.ask(
            .patch, "/v1/routes/trips.edit", ["owner": "Trips team", "reason": "nothing"])
        #expect(answer.json["changed"] == false)
    }

    private func shown(_ service: TestService) async throws -> JSONValue {
        try await service.ask(.get, "/v1/routes/trips.edit").json
    }

    @Test func `takes the next step when it is due and says who did`() async throws {
        let service = try await climbing([
            ["share": 1_000, "holdSeconds": 3_600], ["share": 50_000, "holdSeconds": 3_600], ["share": 100_000],
        ])
        try await climb(service)
        #expect(try await shown(service)["step"] == 1)
        service.pass(milliseconds: Self.hour)
        // The time before the last look counts only up to it: the process was there all the while.
        service.service.climb(at: service.now - 1)
        try await climb(service)
        #expect(try await shown(service)["step"] == 2)
        let audit = try await service.ask(.get, "/v1/audit?limit=1000")
        let last = audit.json["entries"]?.array?.last
        #expect(last?["actor"] == "engine" && last?["action"] == "route.advance", "\(audit.json)")
    }

    @Test func `waits for the units that a step asks for, in another process too`() async throws {
        let service = try await climbing([
            ["share": 100_000, "holdSeconds": 60, "minimumUnits": 3], ["share": 100_000],
        ])
        service.pass(milliseconds: Self.hour)
        for number in [1, 2, 2] as [UInt64] {
            let answer = try await service.start(number)
            #expect(answer.json["choices"]?["trips.edit"]?["renderer"] == "migrated")
        }
        _ = try await service.start(9, ["unit": "u-1"])
        try await climb(service)
        let held = try await shown(service)
        #expect(held["step"] == 1)
        let gates = held["next"]?["gates"]?.array ?? []
        #expect(gates.contains { $0["reason"] == "2 of 3 units were given migrated at this step" }, "\(gates)")

        service.service.close()
        let again = try TestService(reopening: service)
        again.pass(milliseconds: Self.hour)
        let counting = try await shown(again)["next"]?["gates"]?.array ?? []
        #expect(counting.contains { $0["reason"] == "the units at this step are not counted yet" })
        again.service.climb()
        while !again.service.watch.open.isEmpty { await Task.yield() }
        _ = try await again.start(3)
        try await climb(again)
        #expect(try await shown(again)["step"] == 2)
    }

    @Test func `loses against a rollback, whatever it had decided`() async throws {
        let service = try await climbing([["share": 1_000, "holdSeconds": 60], ["share": 100_000]])
        service.pass(milliseconds: Self.hour)
        let command = Command.climb(route: "trips.edit", lastLook: service.now)
        let before = service.service.snapshot.configuration
        _ = try await service.move("trips.edit", "rollback")
        let after = service.service.snapshot.configuration
        #expect(try before.applying(command, by: .engine, reason: "due", at: service.now).audit != nil)
        #expect(try after.applying(command, by: .engine, reason: "due", at: service.now).audit == nil)
    }

    @Test func `tells when the first journey obeyed a rollback`() async throws {
        let service = try await climbing([["share": 100_000]], advance: "manual")
        _ = try await service.move("trips.edit", "rollback")
        #expect(try await shown(service)["firstLegacyAnswerMilliseconds"] == nil)
        service.pass(milliseconds: 1_234)
        _ = try await service.start(1)
        service.pass(milliseconds: 99)
        _ = try await service.start(2)
        #expect(try await shown(service)["firstLegacyAnswerMilliseconds"] == 1_234)
    }

    @Test func `is approved by those who may`() async throws {
        let service = try await climbing(
            [["share": 1_000], ["share": 100_000, "needsApproval": true]], advance: "manual")
        let editor = try await service.key(.admin, .editor)
        let path = "/v1/routes/trips.edit/approve"
        #expect(try await service.ask(.post, path, ["reason": "x"], key: editor).code == "not_allowed")
        #expect(try await service.ask(.post, "/v1/routes/trips.edit/advance", ["reason": "x"]).code == "gate_not_met")
        _ = try await service.move("trips.edit", "approve")
        #expect(try await service.move("trips.edit", "advance").json["route"]?["step"] == 2)
        #expect(try await service.ask(.post, path, ["reason": "x"]).code == "illegal_move")
    }
}
