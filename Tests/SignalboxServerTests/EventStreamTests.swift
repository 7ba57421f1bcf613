import FlagEvaluation
import HTTPServer
import Rollouts
import Testing

@testable import SignalboxServer

@Suite struct `The event stream of OFREP` {
    private func link(_ service: TestService, key: String?? = .none) async throws -> String {
        let answer = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: key)
        let streams = try #require(answer.json["eventStreams"]?.array)
        #expect(streams.count == 1)
        #expect(streams[0]["type"] == "sse")
        #expect(streams[0]["inactivityDelaySec"] == 120)
        return try #require(streams[0]["endpoint"]?["requestUri"]?.string)
    }

    /// Opens it without a key, as a browser does.
    private func open(
        _ service: TestService, _ link: String, lastEventID: String? = nil
    ) async throws -> (answer: Answer, text: String) {
        let answer = try await service.ask(
            .get, link, key: .some(nil), headers: lastEventID.map { [("Last-Event-ID", $0)] } ?? [])
        return (answer, String(decoding: answer.response.body, as: UTF8.self))
    }

    @Test func `opens with the link alone, which has no key in it`() async throws {
        let service = try TestService()
        let key = try await service.key(.app)
        let link = try await link(service, key: key)
        #expect(link.hasPrefix("/ofrep/v1/sse?"))
        #expect(!link.contains(key.suffix(50)))
        let (answer, text) = try await open(service, link)
        #expect(answer.status == 200)
        #expect(answer.response.contentType.map { "\($0.name)" } == "text/event-stream")
        #expect(text.hasPrefix("retry: "))
        #expect(!text.contains("data:"))
    }

    @Test func `tells at once whoever has missed something, and nobody else`() async throws {
        let service = try TestService()
        let before = try await link(service)
        _ = try await service.ask(.post, "/v1/flows", ["key": "f", "owner": "o", "reason": "test"])
        let revision = service.service.snapshot.configuration.revision
        let event = """
            id: 1-\(revision)
            data: {"type":"refetchEvaluation","etag":"1-\(revision)","lastModified":\(service.now / 1_000)}


            """
        let table: [(seen: String?, isTold: Bool)] = [
            (nil, true), ("1-\(revision)", false), ("1-\(revision - 1)", true), ("0-\(revision)", true),
            ("nonsense", true),
        ]
        for row in table {
            let (_, text) = try await open(service, before, lastEventID: row.seen)
            #expect(text.hasSuffix(event) == row.isTold, "\(row)")
        }
        let (_, fresh) = try await open(service, try await link(service))
        #expect(!fresh.contains("data:"))
    }

    @Test func `does not open to a link that is changed in any character of its token`() async throws {
        let service = try TestService()
        let link = try await link(service)
        let start = try #require(link.firstIndex(of: "=").map { link.index(after: $0) })
        let end = try #require(link.firstIndex(of: "&"))
        for index in link[start..<end].indices {
            var wrong = link
            wrong.replaceSubrange(index...index, with: link[index] == "1" ? "2" : "1")
            let (answer, _) = try await open(service, wrong)
            #expect((answer.status, answer.code) == (401, "unauthorized"), "\(wrong)")
        }
        for wrong in ["/ofrep/v1/sse", "/ofrep/v1/sse?token=", "/ofrep/v1/sse?token=a.1.b", "/ofrep/v1/sse?since=0-1"] {
            #expect(try await open(service, wrong).answer.status == 401)
        }
    }

    @Test func `ends with its link, and the answer with the link changes its tag in time`() async throws {
        let service = try TestService()
        let target = "/ofrep/v1/evaluate/flags"
        let link = try await link(service)
        let tag = try #require(try await service.ask(.post, target).response.header("ETag"))
        service.pass(milliseconds: 43_200_000)
        #expect(try await open(service, link).answer.status == 200)
        let fresh = try await service.ask(.post, target, headers: [("If-None-Match", tag)])
        #expect(fresh.status == 200)
        service.pass(milliseconds: 86_400_000)
        #expect(try await open(service, link).answer.status == 401)
    }

    @Test func `does not open for a key that is revoked or has ended`() async throws {
        let service = try TestService()
        let made = try await service.ask(
            .post, "/v1/keys",
            ["kind": "app", "holder": "s", "expiresAt": .integer(service.now + 1_000), "reason": "test"])
        let ending = try await link(service, key: try #require(made.json["secret"]?.string))
        let key = try await service.key(.app)
        let link = try await link(service, key: key)
        #expect(try await open(service, ending).answer.status == 200)
        service.pass(milliseconds: 1_000)
        #expect(try await open(service, ending).answer.status == 401)
        let id = try #require(key.split(separator: "_").dropFirst(2).first)
        #expect(try await open(service, link).answer.status == 200)
        _ = try await service.ask(.post, "/v1/keys/\(id)/revoke", ["reason": "left"])
        #expect(try await open(service, link).answer.status == 401)
    }

    @Test func `differs in the tag from key to key, because the link does`() async throws {
        let service = try TestService()
        let target = "/ofrep/v1/evaluate/flags"
        let other = try await service.key(.server)
        let tag = try #require(try await service.ask(.post, target).response.header("ETag"))
        let known = [("If-None-Match", tag)]
        #expect(try await service.ask(.post, target, key: other, headers: known).status == 200)
    }
}
