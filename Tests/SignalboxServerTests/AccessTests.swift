import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `An endpoint` {
    /// Who may call what, written out by hand: e evaluate, j journeys, o observe, r read, a audit and keys, c change, k keys and all.
    private static let table = """
        POST /ofrep/v1/evaluate/flags/:key e
        POST /ofrep/v1/evaluate/flags e
        GET /ofrep/v1/sse e
        POST /v1/journeys j
        POST /v1/journeys/batch j
        GET /v1/journeys/:id e
        POST /v1/journeys/:id/resume j
        POST /v1/journeys/:id/conflict j
        POST /v1/journeys/:id/outcome j
        GET /v1/flows r
        POST /v1/flows c
        GET /v1/flows/:key r
        PATCH /v1/flows/:key c
        POST /v1/flows/:key/advance c
        POST /v1/flows/:key/retreat c
        POST /v1/flows/:key/hold c
        POST /v1/flows/:key/resume c
        POST /v1/flows/:key/rollback c
        POST /v1/flows/:key/approve c
        POST /v1/flows/:key/island c
        GET /v1/routes r
        POST /v1/routes c
        GET /v1/routes/:key r
        PATCH /v1/routes/:key c
        GET /v1/routes/:key/gates r
        GET /v1/routes/:key/flag r
        GET /v1/routes/:key/journeys r
        GET /v1/routes/:key/conditions r
        GET /v1/routes/:key/conditions/:condition r
        PUT /v1/routes/:key/conditions/:condition c
        DELETE /v1/routes/:key/conditions/:condition c
        POST /v1/routes/:key/conditions/freeze c
        GET /v1/waivers r
        GET /v1/gates r
        GET /v1/forecast r
        GET /v1/status r
        GET /v1/evidence r
        GET /v1/evidence/:id r
        POST /v1/routes/:key/evidence c
        POST /v1/routes/:key/waivers c
        DELETE /v1/routes/:key/waivers c
        POST /v1/routes/:key/advance c
        POST /v1/routes/:key/retreat c
        POST /v1/routes/:key/hold c
        POST /v1/routes/:key/resume c
        POST /v1/routes/:key/rollback c
        POST /v1/routes/:key/approve c
        POST /v1/routes/:key/rehearse c
        POST /v1/routes/:key/island c
        POST /v1/hold c
        POST /v1/rollback c
        GET /v1/flags r
        GET /v1/flags/:key r
        PUT /v1/flags/:key c
        DELETE /v1/flags/:key c
        POST /v1/flags/:key/enable c
        POST /v1/flags/:key/disable c
        GET /v1/cohorts r
        GET /v1/cohorts/:key r
        PUT /v1/cohorts/:key c
        DELETE /v1/cohorts/:key c
        GET /v1/builds r
        GET /v1/builds/:build r
        PUT /v1/builds/:build c
        GET /v1/keys a
        POST /v1/keys k
        POST /v1/keys/:id/revoke k
        GET /v1/audit a
        GET /v1/audit/verify a
        POST /v1/flags/import c
        GET /v1/flags/export r
        POST /v1/evaluate/:key r
        POST /v1/journeys/:id/explain r
        GET /v1/overrides r
        POST /v1/overrides c
        DELETE /v1/overrides c
        GET /v1/environment r
        GET /v1/config/export r
        POST /v1/config/apply c
        POST /v1/config/rollback c
        PATCH /v1/environment c
        POST /v1/keys/:id/rotate k
        POST /v1/sweep k
        POST /v1/backup k
        GET /v1/doctor a
        GET /metrics o
        GET /openapi.json -
        GET /healthz -
        GET /readyz -
        """

    private static let endpoints: [(method: String, pattern: String, needs: Character)] = table.split(separator: "\n")
        .map { line in
            let words = line.split(separator: " ")
            return (String(words[0]), String(words[1]), words[2].first ?? "?")
        }

    /// What each holder's key is good for, in the letters of the table.
    static let holders: [(kind: AccessKey.Kind, role: AccessKey.Role?, allowed: String)] = [
        (.app, nil, "ejo"), (.server, nil, "ejo"), (.admin, .viewer, "ero"), (.admin, .auditor, "eroa"),
        (.admin, .editor, "ejroc"), (.admin, .approver, "ejroc"), (.admin, .admin, "ejroack"),
    ]

    private static func target(_ pattern: String) -> String {
        pattern.replacing(":key", with: "x").replacing(":id", with: "x").replacing(":build", with: "app:1").replacing(
            ":condition", with: "x")
    }

    @Test func `stands in the table, and nothing else does`() throws {
        let listed = try TestService().service.routes.map { "\($0.method.name) \($0.pattern)" }
        #expect(Set(listed) == Set(Self.endpoints.map { "\($0.method) \($0.pattern)" }))
        #expect(Self.holders.count == AccessKey.Kind.allCases.count - 1 + AccessKey.Role.allCases.count)
    }

    @Test func `opens to exactly the keys that are for it, by HEAD as by GET`() async throws {
        let service = try TestService()
        for (kind, role, allowed) in Self.holders {
            let key = try await service.key(kind, role)
            for endpoint in Self.endpoints {
                let isOpen = endpoint.needs == "-" || allowed.contains(endpoint.needs)
                for method in endpoint.method == "GET" ? [.get, .head] : [try #require(Method(named: endpoint.method))]
                {
                    let answer = try await service.ask(method, Self.target(endpoint.pattern), [:], key: key)
                    #expect(
                        (answer.status != 403 && answer.status != 401) == isOpen,
                        "\(kind) \(role?.rawValue ?? "") \(method) \(endpoint.pattern): \(answer.status)")
                }
            }
        }
    }

    @Test func `needs a key, unless it only says that the process lives`() async throws {
        let service = try TestService()
        for endpoint in Self.endpoints {
            for method in endpoint.method == "GET" ? [.get, .head] : [try #require(Method(named: endpoint.method))] {
                let answer = try await service.ask(method, Self.target(endpoint.pattern), [:], key: .some(nil))
                #expect((answer.status == 401) == (endpoint.needs != "-"), "\(endpoint)")
            }
        }
    }

    @Test(arguments: [
        "/v1/keys/", "//v1/keys", "/v1//keys", "/V1/keys", "/v1/./keys", "/v1/flags/../keys", "/v1/%6Beys",
        "/v1/keys%2F", "/v1/flags/%2E%2E/keys", "/v1/keys;x", "/v1/keys%00", "/healthz/../v1/keys",
        "/healthz%2F..%2Fv1%2Fkeys", "/readyz/../v1/audit", "http://127.0.0.1/v1/keys", "/v1\\keys",
    ])
    func `has no second way in`(path: String) async throws {
        let service = try TestService()
        for key in [nil, try await service.key(.app)] {
            for method in [Method.get, .head] {
                let answer = try await service.ask(method, path, key: .some(key))
                #expect((400...404).contains(answer.status), "\(answer.status)")
                #expect(answer.json["keys"] == nil && answer.json["entries"] == nil)
            }
        }
    }

    @Test func `says what it lacks, and how to show a key`() async throws {
        let service = try TestService()
        let viewer = try await service.ask(.get, "/v1/audit", key: try await service.key(.admin, .viewer))
        #expect((viewer.code, viewer.details["permission"]) == ("forbidden", "readAudit"))
        let nobody = try await service.ask(.get, "/v1/audit", key: .some(nil))
        #expect(nobody.response.header("WWW-Authenticate") == "Bearer")
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
        for wrong in [
            "", "sb_", "sb_admin__x_y", String(key.dropLast()), key + "0", String(repeating: "a", count: 5000),
        ] {
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

extension Method {
    fileprivate init?(named name: String) {
        guard let method = Self.allCases.first(where: { "\($0.name)" == name }) else { return nil }
        self = method
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
