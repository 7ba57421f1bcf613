import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `The last use of a key` {
    private static let grain = KeyUse.grain

    @Test func `is unknown until it is shown, and then told to five minutes`() async throws {
        let service = try TestService(at: TestService.noon - TestService.noon % Self.grain + 7)
        let key = try await service.key(.app)
        #expect(try await service.lastUse(of: key) == .null)
        #expect(try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key).status == 200)
        let first = service.now - 7
        #expect(try await service.lastUse(of: key) == .integer(first))
        service.pass(milliseconds: Self.grain - 8)
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key)
        #expect(try await service.lastUse(of: key) == .integer(first))
        service.pass(milliseconds: 1)
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key)
        #expect(try await service.lastUse(of: key) == .integer(first + Self.grain))
    }

    @Test func `is not moved by who knows the id and not the secret`() async throws {
        let service = try TestService()
        let key = try await service.key(.app)
        let forged = key.replacing(try Regex("_[^_]+_[^_]+$"), with: "_\(String(repeating: "A", count: 43))_000000")
        #expect(forged.keyID == key.keyID)
        #expect(try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: forged).status == 401)
        #expect(try await service.lastUse(of: key) == .null)
    }

    @Test func `survives a change of the configuration, and a restart once it is saved`() async throws {
        let service = try TestService()
        let key = try await service.key(.app)
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key)
        let revision = try await service.ask(.get, "/readyz").json["revision"]
        service.service.saveKeyUse()
        _ = try await service.key(.server)
        let seen = try await service.lastUse(of: key)
        #expect(seen != .null)
        #expect(try await service.ask(.get, "/readyz").json["revision"]?.integer == revision?.integer.map { $0 + 1 })
        service.service.close()
        let next = try TestService(reopening: service)
        #expect(try await next.lastUse(of: key) == seen)
    }

    @Test func `of a revoked key stays known`() async throws {
        let service = try TestService()
        let key = try await service.key(.app)
        _ = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key)
        service.service.saveKeyUse()
        _ = try await service.ask(.post, "/v1/keys/\(key.keyID)/revoke", ["reason": "leaked"])
        #expect(try await service.lastUse(of: key) != .null)
    }
}

extension TestService {
    fileprivate func lastUse(of secret: String) async throws -> JSONValue? {
        let keys = try await ask(.get, "/v1/keys").json["keys"]?.array ?? []
        return keys.first { $0["id"]?.string == secret.keyID }?["lastUsedAt"]
    }
}
