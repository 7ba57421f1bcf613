import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `An endpoint` {
    /// Who may do what, written out a second time so that a slip in either place shows.
    static func mayCall(_ kind: AccessKey.Kind, _ role: AccessKey.Role?, _ permission: Permission) -> Bool {
        let allowed: Set<Permission> =
            switch (kind, role) {
            case (.app, _), (.server, _): [.evaluate, .startJourneys]
            case (.admin, .viewer): [.evaluate, .read]
            case (.admin, .auditor): [.evaluate, .read, .readAudit]
            case (.admin, .editor), (.admin, .approver): [.evaluate, .startJourneys, .read, .change]
            case (.admin, .admin): Set(Permission.allCases)
            case (.admin, nil): []
            }
        return allowed.contains(permission)
    }

    static let holders: [(AccessKey.Kind, AccessKey.Role?)] =
        [(.app, nil), (.server, nil)] + AccessKey.Role.allCases.map { (.admin, $0) }

    @Test func `opens to exactly the keys that are for it`() async throws {
        let service = try TestService()
        for (kind, role) in Self.holders {
            let key = try await service.key(kind, role)
            for route in service.service.routes {
                let target = route.pattern.replacing(":key", with: "x").replacing(":id", with: "x")
                    .replacing(":build", with: "app:1")
                let answer = try await service.ask(route.method, target, [:], key: key)
                let isOpen = route.permission.map { Self.mayCall(kind, role, $0) } ?? true
                #expect((answer.status != 403 && answer.status != 401) == isOpen, "\(kind) \(role?.rawValue ?? "") \(route)")
            }
        }
    }

    @Test func `needs a key, unless it only says that the process lives`() async throws {
        let service = try TestService()
        for route in service.service.routes {
            let target = route.pattern.replacing(":key", with: "x").replacing(":id", with: "x")
                .replacing(":build", with: "app:1")
            let answer = try await service.ask(route.method, target, [:], key: .some(nil))
            #expect((answer.status == 401) == (route.permission != nil), "\(route)")
        }
        #expect(service.service.routes.filter { $0.permission == nil }.map(\.pattern) == ["/healthz", "/readyz"])
    }

    @Test func `refuses a key that is wrong in any character, cut, ended or revoked`() async throws {
        let service = try TestService()
        let key = try await service.key(.admin, .viewer)
        for index in key.indices {
            var wrong = key
            wrong.replaceSubrange(index...index, with: key[index] == "x" ? "y" : "x")
            let answer = try await service.ask(.get, "/v1/flags", key: wrong)
            #expect((answer.status, answer.code) == (401, "unauthorized"), "\(wrong)")
        }
        for wrong in ["", "sb_", "sb_admin__x_y", String(key.dropLast()), key + "0", String(repeating: "a", count: 5000)] {
            #expect(try await service.ask(.get, "/v1/flags", key: wrong).status == 401)
        }
        #expect(try await service.ask(.get, "/v1/flags", key: key).status == 200)
        let id = try #require(key.split(separator: "_").dropFirst(2).first)
        let revoked = try await service.ask(.post, "/v1/keys/\(id)/revoke", ["reason": "left"])
        #expect(revoked.status == 200)
        #expect(try await service.ask(.get, "/v1/flags", key: key).status == 401)
    }

    @Test func `refuses an expired key from the millisecond on`() async throws {
        let service = try TestService()
        let made = try await service.ask(
            .post, "/v1/keys",
            ["kind": "server", "holder": "s", "expiresAt": .integer(service.now + 1000), "reason": "test"])
        let key = try #require(made.json["secret"]?.string)
        let target = "/ofrep/v1/evaluate/flags"
        service.pass(milliseconds: 999)
        #expect(try await service.ask(.post, target, key: key).status == 200)
        service.pass(milliseconds: 1)
        #expect(try await service.ask(.post, target, key: key).status == 401)
    }

    @Test func `takes the key in either header`() async throws {
        let service = try TestService()
        let key = service.adminKey
        for headers in [[("Authorization", "bearer \(key)")], [("X-API-Key", key)]] {
            #expect(try await service.ask(.get, "/v1/flags", key: .some(nil), headers: headers).status == 200)
        }
        let basic = [("Authorization", "Basic \(key)")]
        #expect(try await service.ask(.get, "/v1/flags", key: .some(nil), headers: basic).status == 401)
    }
}

@Suite struct `A key` {
    @Test func `is shown once and stored as its hash`() async throws {
        let service = try TestService()
        let made = try await service.ask(
            .post, "/v1/keys", ["kind": "admin", "role": "editor", "holder": "Ann", "reason": "joined"])
        #expect(made.status == 201)
        let secret = try #require(made.json["secret"]?.string)
        #expect(KeySecret.isWellFormed(secret))
        let listed = try await service.ask(.get, "/v1/keys")
        #expect(listed.json["keys"]?.array?.count == 2)
        let everything = try await service.ask(.get, "/v1/audit")
        for text in [listed.json.jsonText, everything.json.jsonText] { #expect(!text.contains(secret.suffix(50))) }
    }

    @Test func `cannot be the last admin key to go`() async throws {
        let service = try TestService()
        let id = try #require(service.adminKey.split(separator: "_").dropFirst(2).first)
        let answer = try await service.ask(.post, "/v1/keys/\(id)/revoke", ["reason": "oops"])
        #expect((answer.status, answer.code) == (409, "last_admin_key"))
        #expect(try await service.ask(.get, "/v1/keys").status == 200)
    }

    @Test func `text is well formed only with its own checksum`() {
        var randomness = SystemRandomNumberGenerator()
        for kind in AccessKey.Kind.allCases {
            let (id, text) = KeySecret.mint(kind: kind, using: &randomness)
            #expect(KeySecret.isWellFormed(text))
            #expect(!KeySecret.isWellFormed(text.dropLast() + (text.hasSuffix("0") ? "1" : "0")))
            #expect(Array(text.utf8).withUnsafeBytes { KeySecret.id(in: $0) } == id)
            #expect(text.hasPrefix("sb_\(kind.rawValue)_"))
            #expect(text.split(separator: "_")[3].count == 43)
        }
    }
}
