import FlagEvaluation
import HTTPServer
import Rollouts
import Storage
import Synchronization
import Testing

@testable import SignalboxServer

@Suite struct `A service that cannot write` {
    @Test func `says so where it is asked and in one line, until it can again`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        let other = try service.otherConnection()
        try other.run("BEGIN IMMEDIATE")
        for number in 1..<4 as Range<UInt64> { #expect(try await service.start(number).json["pinned"] == false) }
        let answer = try await service.ask(.get, "/readyz", key: .some(nil))
        #expect((answer.status, answer.json["ready"], answer.json["store"]) == (503, false, "store_busy"))
        #expect(try await service.ask(.get, "/v1/routes").status == 200)
        try other.run("ROLLBACK")
        #expect(try await service.start(9).status == 201)
        #expect(try await service.ask(.get, "/readyz", key: .some(nil)).status == 200)
        #expect(service.lines.map { $0.prefix { $0 != ":" } } == ["store_busy", "store_ok"])
    }

    @Test func `tells of a fault that its answer hides, but not of what is refused`() async throws {
        struct Fault: Error { let depth = 3 }
        let service = try TestService()
        let answer = Answer(service.service.failure(Fault()))
        #expect((answer.status, answer.code) == (500, "internal_fault"))
        #expect(!answer.json.jsonText.contains("depth"))
        #expect(service.lines == ["internal_fault: Fault"])
        _ = try await service.ask(.get, "/v1/flags/nothing")
        #expect(service.lines.count == 1)
    }
}

@Suite struct `A sweep that was refused` {
    let service: TestService

    init() async throws {
        service = try TestService()
        try await service.registerTrips()
        for number in 0..<5 as Range<UInt64> { _ = try await service.start(number) }
        service.pass(milliseconds: 30 * 86_400_000)
    }

    @Test func `goes ahead when the role admin confirms it, and stands in the audit`() async throws {
        let before = service.service.snapshot.configuration
        let editor = try await service.key(.admin, .editor)
        let body: JSONValue = ["confirm": true, "reason": "clock checked"]
        #expect(try await service.ask(.post, "/v1/sweep", body, key: editor).status == 403)
        for wrong in [["reason": "x"], ["confirm": false, "reason": "x"]] as [JSONValue] {
            #expect(try await service.ask(.post, "/v1/sweep", wrong).code == "invalid_field")
        }
        #expect(try await service.ask(.post, "/v1/sweep", ["confirm": true]).code == "reason_required")
        let answer = try await service.ask(.post, "/v1/sweep", body)
        #expect((answer.status, answer.json["deletedRows"]) == (200, 5))
        let entry = try await service.ask(.get, "/v1/audit").json["entries"]?.array?.last
        #expect(entry?["action"] == "environment.sweep" && entry?["reason"] == "clock checked")
        #expect(service.service.snapshot.configuration.routes == before.routes)
    }
}
