import SocketClient
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct `A connection` {
    @Test func `carries one request after the other`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for round in 0..<50 {
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n\(100 + round)")
            let answer = try #require(client.readAnswer())
            #expect(answer.status == 200)
            #expect(answer.body == "\(100 + round)")
            #expect(answer.header("connection") == nil)
        }
        #expect(server.server.counters.acceptedConnections == 1)
        #expect(server.server.counters.openConnections == 1)
    }

    @Test func `answers requests that were sent early, in their order`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let requests = (0..<200).map {
            $0 % 2 == 0
                ? "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n\(100 + $0)"
                : "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n\(100 + $0)\r\n0\r\n\r\n"
        }
        client.send(requests.joined())
        for round in 0..<200 { #expect(client.readAnswer()?.body == "\(100 + round)") }
    }

    @Test func `refuses a bad request that was sent early, after the answer to the one before`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\nHost: x\n\n")
        #expect(client.readAnswer()?.status == 200)
        let answer = try #require(client.readAnswer())
        #expect(answer.status == 400)
        #expect(answer.body.contains("malformed_request_line"))
        #expect(client.isClosed())
    }

    @Test func `takes a request in single bytes`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        let head = "POST /echo?a=b HTTP/1.1\r\nHost: x\r\nX-Long: \(String(repeating: "v", count: 300))\r\n"
        for request in [
            head + "Content-Length: 5\r\n\r\nhello",
            head + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        ] {
            for byte in request.utf8 { client.send([byte]) }
            #expect(client.readAnswer()?.body == "hello")
        }
    }

    @Test func `gives HEAD the header of GET and no body`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        let head = try #require(client.readAnswer(hasBody: false))
        #expect(head.status == 200)
        #expect(head.header("Content-Length") == "5")
        #expect(head.header("Content-Type") == "text/plain; charset=utf-8")
        #expect(client.readAnswer()?.body == "hello")
    }

    @Test func `gives an answer without content no length`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("GET /empty HTTP/1.1\r\nHost: x\r\n\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        let empty = try #require(client.readAnswer())
        #expect(empty.status == 204)
        #expect(empty.header("Content-Length") == nil)
        #expect(client.readAnswer()?.body == "hello")
    }

    @Test func `carries further headers and a date`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("GET /header HTTP/1.1\r\nHost: x\r\n\r\n")
        let answer = try #require(client.readAnswer())
        #expect(answer.header("X-Told") == "oneX-Smuggled: two")
        #expect(answer.header("X-Smuggled") == nil)
        let date = try #require(answer.header("Date"))
        #expect(date.wholeMatch(of: /[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/) != nil)
    }

    @Test func `shows the request to the handler`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("GET /seen/a%20b?q=%C3%BC HTTP/1.1\r\nhost: x\r\nx-SEEN:  yes \r\n\r\n")
        #expect(client.readAnswer()?.body == "a b|ü|yes|127.0.0.1")
    }

    @Test func `closes when the client asks for it`() throws {
        let server = try TestServer()
        for option in ["close", "Close", "keep-alive, close", "TE,close"] {
            let answer = try TestClient.exchange(
                server.port, "GET /hello HTTP/1.1\r\nHost: x\r\nConnection: \(option)\r\n\r\n")
            #expect(answer.contains("\r\nConnection: close\r\n"))
            #expect(answer.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test func `of HTTP/1.0 closes, or stays open when asked`() throws {
        let server = try TestServer()
        let closing = try TestClient.exchange(server.port, "GET /hello HTTP/1.0\r\n\r\n")
        #expect(closing.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(closing.hasSuffix("hello"))
        let client = try TestClient(port: server.port)
        for _ in 0..<3 {
            client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let answer = try #require(client.readAnswer())
            #expect(answer.header("Connection") == "keep-alive")
            #expect(answer.body == "hello")
        }
    }

    @Test func `is told to continue before it sends a body`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for _ in 0..<3 {
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(client.readAnswer()?.status == 100)
            client.send("hello")
            #expect(client.readAnswer()?.body == "hello")
        }
        // A body that is too large is refused before it is sent.
        client.send("POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 65537\r\n\r\n")
        #expect(client.readAnswer()?.status == 413)
    }

    @Test func `carries an answer larger than the socket takes at once`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for _ in 0..<2 {
            client.send("GET /bytes/8000000 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.readAnswer()?.body.utf8.count == 8_000_000)
        }
    }
}
