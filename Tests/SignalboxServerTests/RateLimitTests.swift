import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `A rate limit` {
    private func service(_ change: (inout RateLimits) -> Void) throws -> TestService {
        var limits = RateLimits()
        change(&limits)
        return try TestService(rateLimits: limits)
    }

    private func evaluate(
        _ service: TestService, _ unit: String = "u-1", key: String, from address: String? = nil
    ) async throws -> Answer {
        try await service.ask(
            .post, "/ofrep/v1/evaluate/flags", ["context": ["targetingKey": .string(unit)]], key: key,
            headers: address.map { [("X-Forwarded-For", "6.6.6.6, \($0)")] } ?? [])
    }

    @Test func `holds for each admin and server key alone, and tokens come back`() async throws {
        let service = try service {
            $0.perKey = 5
            $0.burstSeconds = 10
        }
        let keys = [try await service.key(.server), try await service.key(.server)]
        for key in keys {
            for _ in 0..<50 { #expect(try await evaluate(service, key: key).status == 200) }
            let refused = try await evaluate(service, key: key)
            #expect((refused.status, refused.code) == (429, "rate_limited"))
            let wait = try #require(refused.response.header("Retry-After").flatMap { Int64($0) })
            #expect((1...2).contains(wait))
            #expect(refused.details["retryAfterSeconds"] == .integer(wait))
        }
        service.pass(milliseconds: 200)
        #expect(try await evaluate(service, key: keys[0]).status == 200)
        #expect(try await evaluate(service, key: keys[0]).status == 429)
    }

    @Test func `holds for each unit of an app key, however many phones share it`() async throws {
        let service = try service {
            $0.perUnit = 1
            $0.perKey = 1
        }
        let key = try await service.key(.app)
        for unit in ["u-1", "u-2"] {
            for _ in 0..<10 { #expect(try await evaluate(service, unit, key: key).status == 200) }
            #expect(try await evaluate(service, unit, key: key).status == 429)
        }
        try await service.registerTrips()
        #expect(try await service.start(1, ["unit": "u-1"], key: key).status == 429)
        let batch: JSONValue = [
            "journeys": [service.startBody(1, ["unit": "u-1"]), service.startBody(2, ["unit": "u-3"])]
        ]
        let answers = try await service.ask(.post, "/v1/journeys/batch", batch, key: key)
        #expect(answers.json["journeys"]?.array?.compactMap { $0["status"] } == [429, 201])
    }

    @Test func `holds for an address as our own proxy saw it, and not for this machine`() async throws {
        let service = try service {
            $0.perAddress = 1
            $0.trustsForwardedAddress = true
        }
        let key = try await service.key(.app)
        for number in 0..<10 {
            #expect(try await evaluate(service, "u-\(number)", key: key, from: "192.0.2.1").status == 200)
        }
        #expect(try await evaluate(service, "u-new", key: key, from: "192.0.2.1").status == 429)
        #expect(try await evaluate(service, "u-new", key: key, from: "192.0.2.2").status == 200)
        for _ in 0..<30 { #expect(try await evaluate(service, key: key).status == 200) }
    }

    @Test func `of 0 is none`() async throws {
        let service = try service {
            $0.perKey = 0
            $0.perUnit = 0
        }
        let key = try await service.key(.app)
        for _ in 0..<3_000 { _ = try await evaluate(service, key: key) }
        #expect(try await evaluate(service, key: key).status == 200)
    }

    @Test func `is not fooled by a clock that was set back`() throws {
        let table = try #require(RateTable(perSecond: 1, burstSeconds: 2))
        for _ in 0..<2 { #expect(table.wait(of: "a", at: 1_000_000) == 0) }
        #expect(table.wait(of: "a", at: 1_000_000) > 0)
        #expect(table.wait(of: "a", at: 1_000) == 0)
    }

    @Test func `spares others when callers are many`() throws {
        let table = try #require(RateTable(perSecond: 10, burstSeconds: 1))
        for number in 0..<1_000 {
            for _ in 0..<20 { _ = table.wait(of: "greedy-\(number)", at: 0) }
        }
        let refused = (0..<1_000).count { table.wait(of: "modest-\($0)", at: 0) > 0 }
        #expect(refused < 30)
    }
}
