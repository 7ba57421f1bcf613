import FlagEvaluation
import HTTPServer
import Rollouts
import SocketClient
import Testing

@testable import SignalboxServer

/// Streams that are open on real connections.
@Suite(.timeLimit(.minutes(5))) struct `An open event stream` {
    private let service: TestService
    private let server: HTTPServer

    init() throws {
        var limits = RateLimits()
        (limits.perKey, limits.burstSeconds) = (5, 10)
        service = try TestService(rateLimits: limits)
        var configuration = ServerConfiguration()
        configuration.port = 0
        server = HTTPServer(configuration: configuration, router: service.service.router())
        try server.start()
    }

    /// A stream of a new app key that has begun, and the id of the key.
    private func open(endsIn milliseconds: Int64? = nil) async throws -> (stream: TestClient, key: String) {
        var body: JSONObject = ["kind": "app", "holder": "s", "reason": "test"]
        if let milliseconds { body["expiresAt"] = .integer(service.now + milliseconds) }
        let made = try await service.ask(.post, "/v1/keys", .object(body)).json
        let secret = try #require(made["secret"]?.string)
        let all = try await service.ask(.post, "/ofrep/v1/evaluate/flags", key: secret).json
        let link = try #require(all["eventStreams"]?.array?.first?["endpoint"]?["requestUri"]?.string)
        let client = try TestClient(port: server.port)
        client.send("GET \(link) HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try #require(client.read(through: ":\n\n\r\n"))
        return (client, try #require(made["key"]?["id"]?.string))
    }

    @Test func `ends with its key at once when that is revoked, and no other does`() async throws {
        let (gone, key) = try await open()
        let (other, _) = try await open()
        let answer = try await service.ask(.post, "/v1/keys/\(key)/revoke", ["reason": "left"])
        #expect(answer.status == 200)
        #expect(gone.readToEnd().hasSuffix("0\r\n\r\n"))
        let revision = service.service.snapshot.configuration.revision
        #expect(other.read(through: "\"etag\":\"1-\(revision)\"") != nil)
    }

    @Test func `ends with its key or its link when their time is over`() async throws {
        let (ending, _) = try await open(endsIn: 60_000)
        let (linked, _) = try await open()
        service.pass(milliseconds: 60_000)
        service.service.beat()
        #expect(ending.readToEnd().hasSuffix("0\r\n\r\n"))
        #expect(linked.read(through: ":\n\n\r\n") != nil)
        service.pass(milliseconds: 36 * 3_600_000)
        service.service.beat()
        #expect(linked.readToEnd().hasSuffix("0\r\n\r\n"))
    }

    @Test func `counts against the limit of its key when it is opened`() async throws {
        let secret = try await service.key(.server)
        func begin() throws -> String {
            let client = try TestClient(port: server.port)
            client.send("GET /ofrep/v1/sse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(secret)\r\n\r\n")
            return try #require(client.read(through: "\r\n"))
        }
        for _ in 0..<50 { #expect(try begin() == "HTTP/1.1 200 OK\r\n") }
        #expect(try begin().hasPrefix("HTTP/1.1 429 "))
    }
}
