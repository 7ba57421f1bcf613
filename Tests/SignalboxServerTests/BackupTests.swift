import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `A backup over HTTP` {
    private let service: TestService

    init() throws { service = try TestService() }

    @Test func `is made once under a name`() async throws {
        let answer = try await service.ask(.post, "/v1/backup", ["name": "one.db"])
        #expect(answer.status == 201)
        #expect(answer.json["path"]?.string?.hasSuffix("/backups/one.db") == true)
        #expect(answer.json["anchor"]?["sequence"] == 1)
        let again = try await service.ask(.post, "/v1/backup", ["name": "one.db"])
        #expect((again.status, again.code) == (409, "store_exists"))
    }

    @Test(arguments: [
        "", ".", "..", "../x.db", "a/b", ".hidden", "a b", "x.part", "ü.db", String(repeating: "x", count: 101),
    ])
    func `stays in its folder`(name: String) async throws {
        let answer = try await service.ask(.post, "/v1/backup", ["name": .string(name)])
        #expect((answer.status, answer.code) == (400, "invalid_field"))
    }

    @Test func `is for administrators, and an examination for auditors`() async throws {
        let auditor = try await service.key(.admin, .auditor)
        let editor = try await service.key(.admin, .editor)
        #expect(try await service.ask(.post, "/v1/backup", [:], key: auditor).status == 403)
        #expect(try await service.ask(.get, "/v1/doctor", key: editor).status == 403)
        let answer = try await service.ask(.get, "/v1/doctor", key: auditor)
        #expect(answer.status == 200)
        let names = answer.json["checks"]?.array?.compactMap { $0["name"]?.string }
        #expect(names == ["store", "audit", "evidence", "disk", "descriptors", "permissions", "clock", "version"])
        #expect(answer.json["checks"]?.array?.prefix(2).allSatisfy { $0["verdict"] == "ok" } == true)
    }
}
