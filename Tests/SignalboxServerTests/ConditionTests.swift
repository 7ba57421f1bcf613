import FlagEvaluation
import HTTPServer
import Testing

@testable import SignalboxServer

@Suite struct `Conditions over HTTP` {
    @Test func `are written, tried, frozen and listed`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        let path = "/v1/routes/trips.edit/conditions"
        let body: JSONValue = [
            "metric": "hitchRatio", "margin": 0.1, "alphaShare": 0.01, "action": "warn", "cap": 1, "reason": "test",
            "method": ["test": "confidenceSequence", "plannedUnits": 9_000],
        ]
        var tried = body.object ?? [:]
        tried["dryRun"] = true
        let dry = try await service.ask(.put, "\(path)/hitch", .object(tried))
        #expect(dry.json["condition"]?["hash"]?.string?.count == 64 && dry.json["dryRun"] == true)
        #expect(try await service.ask(.get, "\(path)/hitch").code == "condition_not_found")
        let put = try await service.ask(.put, "\(path)/hitch", body)
        #expect(put.status == 201 && put.json["condition"]?["hash"] == dry.json["condition"]?["hash"])
        #expect(put.json["condition"]?["inForce"] == false)
        let frozen = try await service.ask(.post, "\(path)/freeze", ["reason": "test"])
        #expect(frozen.json["conditions"]?.array?.map { $0["inForce"] } == [true, true, true, true])
        #expect(
            try await service.ask(.delete, "\(path)/hitch?reason=x").code == "condition_frozen")
        let revised = try await service.ask(.get, "/v1/routes/trips.edit/conditions/hitch")
        #expect(revised.json["conditions"]?.array?.count == 1)
    }
}
