import SocketClient
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct `A limit` {
    private func line(of count: Int, _ start: String) -> String {
        start + String(repeating: "a", count: count - start.utf8.count)
    }

    private func expect(_ answer: String, _ status: Int, _ code: String) {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains(#"{"error":{"code":"\#(code)""#))
        #expect(answer.contains("\r\nConnection: close\r\n"))
    }

    @Test func `on the target holds to the byte`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("GET \(line(of: 4_096, "/hello?")) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.status == 200)
        let over = "GET \(line(of: 4_097, "/hello?"))"
        expect(
            try TestClient.exchange(server.port, over + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414, "target_too_long")
        expect(try TestClient.exchange(server.port, line(of: 6_000, "GET /")), 414, "target_too_long")
    }

    @Test func `on the header holds to the byte`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let start = "GET /hello HTTP/1.1\r\nHost: x\r\nX-Long: "
        client.send(line(of: 16_384 - 4, start) + "\r\n\r\n")
        #expect(client.readAnswer()?.status == 200)
        expect(
            try TestClient.exchange(server.port, line(of: 16_385 - 4, start) + "\r\n\r\n"), 431, "header_too_large")
        expect(try TestClient.exchange(server.port, line(of: 20_000, start)), 431, "header_too_large")
    }

    @Test func `on the number of header lines is a hundred`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let request = "GET /hello HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 99)
        client.send(request + "\r\n")
        #expect(client.readAnswer()?.status == 200)
        expect(try TestClient.exchange(server.port, request + "A: b\r\n\r\n"), 431, "header_too_large")
    }

    @Test(arguments: [("/echo", 65_536), ("/large", 1_048_576), ("/nowhere", 65_536)])
    func `on the body is the route's, and known before the body is read`(path: String, limit: Int) throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\n"
        client.send(head + "Content-Length: \(limit)\r\n\r\n" + String(repeating: "a", count: limit))
        #expect(client.readAnswer()?.status == (path == "/nowhere" ? 404 : 200))
        expect(
            try TestClient.exchange(server.port, head + "Content-Length: \(limit + 1)\r\n\r\n"), 413, "body_too_large")
        expect(
            try TestClient.exchange(server.port, head + "Content-Length: 99999999999999999\r\n\r\n"), 413,
            "body_too_large")
    }

    @Test(arguments: [("/echo", 65_536), ("/large", 1_048_576)])
    func `on the body holds for chunks too`(path: String, limit: Int) throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let head = "POST \(path) HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        let chunk = "1000\r\n" + String(repeating: "a", count: 4_096) + "\r\n"
        let chunks = String(repeating: chunk, count: limit / 4_096)
        client.send(head + chunks + "0\r\n\r\n")
        #expect(client.readAnswer()?.status == 200)
        expect(try TestClient.exchange(server.port, head + chunks + "1\r\n"), 413, "body_too_large")
        expect(try TestClient.exchange(server.port, head + "ffffffff\r\n"), 413, "body_too_large")
    }

    @Test func `on the body lets the client read the answer while it is still sending`() throws {
        let server = try TestServer()
        for _ in 0..<20 {
            let client = try TestClient(port: server.port)
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n")
            #expect(client.send([UInt8](repeating: 0x61, count: 4_000_000)))
            #expect(client.readAnswer()?.status == 413)
        }
    }

    @Test func `on connections answers 503, and makes room when one closes`() throws {
        let server = try TestServer { $0.connectionLimit = 3 }
        var clients = try (0..<3).map { _ in try TestClient(port: server.port) }
        for client in clients {
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.readAnswer()?.status == 200)
        }
        expect(try TestClient(port: server.port).readToEnd(), 503, "too_many_connections")
        #expect(server.server.counters.refusedByStatus[503] == 1)
        clients.removeAll()
        // The server learns of it in its own time; until then it keeps refusing.
        var status: Int?
        while status != 200 {
            let client = try TestClient(port: server.port)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            status = client.readAnswer()?.status
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct `A deadline` {
    private func server() throws -> TestServer {
        try TestServer {
            $0.headDeadlineSeconds = 0.2
            $0.bodyDeadlineSeconds = 0.2
            $0.idleTimeoutSeconds = 0.2
            $0.writeDeadlineSeconds = 0.2
        }
    }

    @Test func `ends a header that never ends, however busily it drips`() throws {
        for start in ["G", "GET /hello HTTP/1.1\r\n", "GET /hello HTTP/1.1\r\nHost: x\r\nA: "] {
            let server = try server()
            let client = try TestClient(port: server.port)
            client.send(start)
            let began = ContinuousClock.now
            var sent = 0
            // Within the limits of size, and never still for long.
            while sent < 3_000, ContinuousClock.now - began < .milliseconds(150), client.send("A") { sent += 1 }
            let answer = client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("request_timeout"))
        }
    }

    @Test func `ends a body that never ends, however busily it drips`() throws {
        let head = "POST /large HTTP/1.1\r\nHost: x\r\n"
        for start in [head + "Content-Length: 1000000\r\n\r\n", head + "Transfer-Encoding: chunked\r\n\r\nf0000\r\n"] {
            let server = try server()
            let client = try TestClient(port: server.port)
            client.send(start)
            let began = ContinuousClock.now
            // A byte at a time keeps the connection busy for longer than the deadline.
            while ContinuousClock.now - began < .milliseconds(500), client.send("a") {}
            #expect(client.readToEnd().contains("HTTP/1.1 408 "))
        }
    }

    @Test func `closes a connection that asks nothing`() throws {
        let server = try server()
        #expect(try TestClient(port: server.port).isClosed())
        let client = try TestClient(port: server.port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.status == 200)
        #expect(client.isClosed())
    }

    @Test func `ends an answer that nobody reads`() throws {
        let server = try server()
        let client = try TestClient(port: server.port)
        client.send("GET /bytes/40000000 HTTP/1.1\r\nHost: x\r\n\r\n")
        var counters = server.server.counters
        while counters.acceptedConnections == 0 || counters.openConnections > 0 { counters = server.server.counters }
        #expect(client.readToEnd().utf8.count < 40_000_000)
    }

    @Test func `does not run while the handler has the request`() async throws {
        let server = try server()
        let client = try TestClient(port: server.port)
        client.send("POST /park HTTP/1.1\r\nHost: x\r\n\r\n")
        let request = await server.parked.next()
        // Another connection runs into its deadline meanwhile.
        #expect(try TestClient(port: server.port).isClosed())
        request.complete(with: Response(status: 202))
        #expect(client.readAnswer()?.status == 202)
    }
}
