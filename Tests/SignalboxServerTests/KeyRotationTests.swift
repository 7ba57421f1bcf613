import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `A key that is rotated` {
    private static let list = "/v1/flags"

    @Test func `lives beside its successor for the overlap and not a millisecond longer`() async throws {
        let service = try TestService()
        let old = try await service.key(.admin, .editor)
        let answer = try await service.rotate(old, ["overlapSeconds": 60])
        #expect(answer.status == 201)
        let new = try #require(answer.json["secret"]?.string)
        #expect(answer.json["key"]?["role"] == "editor")
        #expect(answer.json["replaced"]?["expiresAt"] == .integer(service.now + 60_000))
        service.pass(milliseconds: 59_999)
        for key in [old, new] { #expect(try await service.ask(.get, Self.list, key: key).status == 200) }
        service.pass(milliseconds: 1)
        #expect(try await service.ask(.get, Self.list, key: old).status == 401)
        #expect(try await service.ask(.get, Self.list, key: new).status == 200)
    }

    @Test func `twice, or whose successor is rotated, still ends when it was promised`() async throws {
        let service = try TestService()
        let old = try await service.key(.admin, .editor)
        let promised = service.now + 60_000
        let first = try #require(try await service.rotate(old, ["overlapSeconds": 60]).json["secret"]?.string)
        let again = try await service.rotate(old, ["overlapSeconds": 3_600])
        #expect(again.json["replaced"]?["expiresAt"] == .integer(promised))
        let second = try #require(try await service.rotate(first, ["overlapSeconds": 30]).json["secret"]?.string)
        service.pass(milliseconds: 30_000)
        #expect(try await service.ask(.get, Self.list, key: first).status == 401)
        #expect(try await service.ask(.get, Self.list, key: old).status == 200)
        service.pass(milliseconds: 30_000)
        #expect(try await service.ask(.get, Self.list, key: old).status == 401)
        #expect(try await service.ask(.get, Self.list, key: second).status == 200)
        #expect((try await service.rotate(old, [:]).code) == "key_ended")
    }

    @Test func `without an overlap ends at once`() async throws {
        let service = try TestService()
        let old = try await service.key(.app)
        #expect(try await service.rotate(old, ["overlapSeconds": 0]).status == 201)
        #expect(try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: old).status == 401)
    }

    @Test func `can still be revoked at once`() async throws {
        let service = try TestService()
        let old = try await service.key(.admin, .editor)
        #expect(try await service.rotate(old, [:]).status == 201)
        #expect(try await service.ask(.post, "/v1/keys/\(old.keyID)/revoke", ["reason": "leaked"]).status == 200)
        #expect(try await service.ask(.get, Self.list, key: old).status == 401)
    }

    @Test func `may be the last one that manages keys`() async throws {
        let service = try TestService()
        let new = try #require(
            try await service.rotate(service.adminKey, ["overlapSeconds": 0]).json["secret"]?.string)
        #expect(try await service.ask(.get, "/v1/keys", key: new).status == 200)
        #expect(try await service.ask(.get, "/v1/keys").status == 401)
    }

    @Test func `never lives longer than it would have`() async throws {
        let service = try TestService()
        let end = service.now + 5_000
        let made = try await service.ask(
            .post, "/v1/keys", ["kind": "app", "holder": "a", "expiresAt": .integer(end), "reason": "test"])
        let old = try #require(made.json["secret"]?.string)
        let answer = try await service.rotate(old, ["overlapSeconds": 86_400])
        #expect(answer.json["replaced"]?["expiresAt"] == .integer(end))
    }

    @Test(arguments: [-1, 2_592_001, .max, .min] as [Int64])
    func `is left alone when the overlap makes no sense`(seconds: Int64) async throws {
        let service = try TestService()
        let old = try await service.key(.app)
        let answer = try await service.rotate(old, ["overlapSeconds": .integer(seconds)])
        #expect((answer.status, answer.code) == (400, "invalid_field"))
        #expect(try await service.ask(.get, "/v1/keys").json["keys"]?.array?.count == 2)
    }

    @Test func `must exist and still open something`() async throws {
        let service = try TestService()
        let unknown = try await service.ask(.post, "/v1/keys/none/rotate", ["reason": "test"])
        #expect((unknown.status, unknown.code) == (404, "key_not_found"))
        let old = try await service.key(.app)
        _ = try await service.ask(.post, "/v1/keys/\(old.keyID)/revoke", ["reason": "test"])
        let ended = try await service.rotate(old, [:])
        #expect((ended.status, ended.code) == (409, "key_ended"))
    }

    @Test func `leaves one audit entry with both keys and no secret`() async throws {
        let service = try TestService()
        let old = try await service.key(.app)
        let new = try #require(try await service.rotate(old, [:]).json["secret"]?.string)
        let entry = try #require(try await service.ask(.get, "/v1/audit").json["entries"]?.array?.last)
        #expect(entry["action"] == "key.rotate")
        #expect(entry["subject"] == .string("key/\(old.keyID)"))
        #expect(entry["after"]?["successor"]?["id"] == .string(new.keyID))
        #expect(!entry.jsonText.contains(new.suffix(50)))
    }
}

@Suite struct `A dry run` {
    @Test func `that takes long ends early and says how many units it tried`() async throws {
        let service = try TestService()
        try await service.registerTrips()
        service.hurry(milliseconds: 10)
        let answer = try await service.move("trips.edit", "advance", ["dryRun": true])
        let tried = try #require(answer.json["unitsChanged"]?["of"]?.integer)
        #expect(tried > 0 && tried < 100_000)
    }
}

extension TestService {
    fileprivate func rotate(_ key: String, _ more: JSONObject) async throws -> Answer {
        var body = more
        body["reason"] = "rotation"
        return try await ask(.post, "/v1/keys/\(key.keyID)/rotate", .object(body))
    }
}

extension String {
    /// The id inside a key's text.
    var keyID: String { split(separator: "_").dropFirst(2).first.map(String.init) ?? "" }
}
