import CAllocations
import FlagEvaluation
import HTTPServer
import Testing

@testable import SignalboxServer

/// What a request needs besides, for its key, the entity tag and the link to the stream, does not grow.
@Suite(.enabled(if: sbx_counts_allocations(), "the allocator cannot be watched"))
struct `An answer for everything` {
    // The answer is longer, so its memory may be asked for differently.
    private static let noise: UInt64 = 5

    /// How often it asks for memory.
    private func allocations(_ service: TestService) throws -> UInt64 {
        let caller = MemoryCaller(
            service.service.router(), .post, "/ofrep/v1/evaluate/flags",
            headers: [("Host", "x"), ("Authorization", "Bearer \(service.adminKey)")],
            body: #"{"context":{"targetingKey":"u-1","platform":"ios","email":"mia@example.com","build":"app:732"}}"#)
        for _ in 0..<10 { try #require(caller.call()?.status == 200) }
        let before = sbx_allocations()
        for _ in 0..<100 { _ = caller.call() }
        return (sbx_allocations() - before) / 100
    }

    @Test func `allocates as often for many flags as for one`() async throws {
        let service = try TestService()
        let definition: JSONValue = [
            "state": "ENABLED", "variants": ["on": 1, "off": 2], "defaultVariant": "off",
            "targeting": ["if": [["==": [["var": "platform"], "ios"]], ["fractional": [["on", 50], ["off", 50]]]]],
        ]
        var counts: [UInt64] = []
        for number in 0..<40 {
            let answer = try await service.ask(
                .put, "/v1/flags/flag-\(number)", ["definition": definition, "reason": "test"])
            try #require(answer.status == 201)
            if number == 0 || number == 39 { counts.append(try allocations(service)) }
        }
        #expect(counts[1] < counts[0] + Self.noise)
    }

    @Test func `allocates as often for many routes as for one`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        let routes = (0..<20).map { "trips.\($0)" }
        for route in routes {
            let answer = try await service.ask(.post, "/v1/routes", .object(TestService.route(route)))
            try #require(answer.status == 201)
            try await service.freezeConditions(of: route)
        }
        let renderers = JSONObject((["trips.detail"] + routes).map { ($0, ["legacy", "migrated"]) })
        let build: JSONValue = ["version": "7.32", "renderers": .object(renderers), "reason": "test"]
        try #require(try await service.ask(.put, "/v1/builds/app:732", build).status == 201)
        // Routes that have not begun are not evaluated.
        for _ in 1...2 { _ = try await service.move("trips.detail", "advance") }
        let one = try allocations(service)
        for route in routes {
            for _ in 1...2 { _ = try await service.move(route, "advance") }
        }
        #expect(try allocations(service) < one + Self.noise)
    }
}
