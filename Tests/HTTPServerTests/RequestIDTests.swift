import Synchronization
import SocketClient
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct `The id of a request` {
    @Test(arguments: ["a", "from-the-client.1", "A_b-C.9", String(repeating: "x", count: 64)])
    func `is the client's, if it is a word`(id: String) throws {
        #expect(try answeredIDs(to: "X-Request-Id: \(id)\r\n") == [id])
    }

    @Test(arguments: [
        "", "X-Request-Id: \r\n", "X-Request-Id: a b\r\n", "X-Request-Id: é\r\n", "X-Request-Id: a\"b\r\n",
        "X-Request-Id: \(String(repeating: "x", count: 65))\r\n",
    ])
    func `is a new one, if the client has none that can be taken`(line: String) throws {
        let ids = try answeredIDs(to: line) + answeredIDs(to: line)
        #expect(Set(ids).count == 2)
        for id in ids { #expect(id.utf8.count == 16 && id.allSatisfy(\.isHexDigit)) }
    }

    @Test func `is the first of two, and never stays for the next request`() throws {
        let server = try TestServer()
        let both = try TestClient.exchange(
            server.port,
            "GET /hello HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\nx-request-id: two\r\n\r\n"
                + "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let ids = Self.ids(in: both)
        #expect(ids.count == 2)
        #expect(ids.first == "one" && ids.last != "one")
    }

    @Test func `is on refusals too`() throws {
        let server = try TestServer()
        let refused = try TestClient.exchange(
            server.port, "POST /echo HTTP/1.1\r\nHost: x\r\nX-Request-Id: r-1\r\nContent-Length: +1\r\n\r\n")
        #expect(Self.ids(in: refused) == ["r-1"])
    }

    private func answeredIDs(to line: String) throws -> [String] {
        let server = try TestServer()
        return Self.ids(
            in: try TestClient.exchange(
                server.port, "GET /hello HTTP/1.1\r\nHost: x\r\n\(line)Connection: close\r\n\r\n"))
    }

    private static func ids(in answer: String) -> [String] {
        answer.split(separator: "\r\n").compactMap { line in
            line.hasPrefix("X-Request-Id: ") ? String(line.dropFirst(14)) : nil
        }
    }
}

@Suite struct `A report of a request` {
    @Test(
        arguments: [
            (200, nil, 0, false, false), (404, nil, 0, false, false), (500, nil, 0, false, true),
            (503, "x", 0, false, true),
            (200, "not pinned", 0, false, true), (200, nil, 2_000_000_000, false, true), (200, nil, 0, true, true),
        ] as [(Int, String?, UInt64, Bool, Bool)])
    func `is made for what failed, took long or has a note, or for all`(
        status: Int, note: String?, nanoseconds: UInt64, everyRequest: Bool, isMade: Bool
    ) throws {
        var configuration = ServerConfiguration()
        configuration.report = { _ in }
        configuration.reportsEveryRequest = everyRequest
        let reporting = try #require(Reporting(configuration))
        var response = Response(status: status)
        response.note = note
        #expect(reporting.wants(response, nanoseconds: nanoseconds) == isMade)
    }
}
