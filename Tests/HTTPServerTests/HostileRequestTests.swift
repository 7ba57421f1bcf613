import SocketClient
import Testing

@testable import HTTPServer

/// What libevent's own parser does with each of these is told in `gate.c`; none of them reaches it.
@Suite(.timeLimit(.minutes(5))) struct `A request that does not mean one thing to everybody` {
    @Test(
        arguments: [
            // The first line.
            ("\r\nGET /hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET  /hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello  HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello HTTP/1.1 \r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hel lo HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET\t/hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /he\tllo HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /he\u{0}llo HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello#a HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET http://x/hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET //x/hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET //:x@/hello HTTP/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello HTTP/1.1\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("\u{16}\u{3}\u{1}", 400, "malformed_request_line"),
            ("get /hello HTTP/1.1\r\nHost: x\r\n\r\n", 501, "method_not_implemented"),
            ("OPTIONS /hello HTTP/1.1\r\nHost: x\r\n\r\n", 501, "method_not_implemented"),
            ("TRACE /hello HTTP/1.1\r\nHost: x\r\n\r\n", 501, "method_not_implemented"),
            ("CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 501, "method_not_implemented"),
            ("BREW /hello HTTP/1.1\r\nHost: x\r\n\r\n", 501, "method_not_implemented"),
            ("GET /hello HTTP/0.9\r\nHost: x\r\n\r\n", 505, "version_not_supported"),
            ("GET /hello HTTP/1.2\r\nHost: x\r\n\r\n", 505, "version_not_supported"),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "version_not_supported"),
            ("GET /hello HTTP/+1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            ("GET /hello http/1.1\r\nHost: x\r\n\r\n", 400, "malformed_request_line"),
            // Header lines.
            ("GET /hello HTTP/1.1\r\nHost: x\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\n\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\nA: b\u{0}\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\nA b\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\nA : b\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\n Host: x\r\n\r\n", 400, "malformed_header"),
            ("GET /hello HTTP/1.1\r\nHost: x\r\nA: b\r\n folded\r\n\r\n", 400, "malformed_header"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\na", 400, "malformed_header"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n x\r\n\r\n", 400, "malformed_header"),
            // The host.
            ("GET /hello HTTP/1.1\r\n\r\n", 400, "host_required"),
            ("GET /hello HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "host_required"),
            ("GET /hello HTTP/1.1\r\nHost: a, b\r\n\r\n", 400, "host_required"),
            ("GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "host_required"),
            ("GET /hello HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", 400, "host_required"),
            // The length.
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na", 400,
                "ambiguous_length"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", 400,
                "ambiguous_length"
            ),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\na", 400, "ambiguous_length"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", 400, "ambiguous_length"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\na", 400, "ambiguous_length"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0x1\r\n\r\na", 400, "ambiguous_length"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length:\t1\r\n\r\na", 400, "ambiguous_length"),
            ("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \r\n\r\na", 400, "ambiguous_length"),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 18446744073709551617\r\n\r\na", 400,
                "ambiguous_length"
            ),
            ("HEAD /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na", 400, nil),
            ("HEAD /hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, nil),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                400,
                "ambiguous_length"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
                400,
                "ambiguous_length"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                400,
                "ambiguous_length"
            ),
            ("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "ambiguous_length"),
            // The encoding.
            ("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 400, "unsupported_transfer_encoding"),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400,
                "unsupported_transfer_encoding"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n", 400,
                "unsupported_transfer_encoding"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n", 400,
                "unsupported_transfer_encoding"
            ),
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\tchunked\r\n\r\n", 400,
                "unsupported_transfer_encoding"
            ),
            // Expectations.
            (
                "POST /echo HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: 1\r\n\r\na", 417,
                "expectation_failed"
            ),
        ] as [(String, Int, String?)])
    func `is refused and its connection closed`(request: String, status: Int, code: String?) throws {
        let server = try TestServer()
        let answer = try TestClient.exchange(server.port, request + "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        try expectRefusal(answer, status, code)
    }

    @Test(arguments: [
        "0\r\nTrailer: x\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n", "5;ext=1\r\nhello\r\n0\r\n\r\n",
        "5 \r\nhello\r\n0\r\n\r\n", " 5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello0\r\n\r\n",
        "5\r\nhellos\r\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n", "5\r\nhello\r\n0\r\n\n", "\r\n5\r\nhello\r\n0\r\n\r\n",
        "g\r\n", "\r\n", ";\r\n", "000000005\r\nhello\r\n0\r\n\r\n", "5\r\nhello\r\n\r\n0\r\n\r\n",
    ])
    func `because of its chunks is refused and its connection closed`(chunks: String) throws {
        let server = try TestServer()
        let head = "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        try expectRefusal(
            try TestClient.exchange(server.port, head + chunks + "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"), 400,
            "malformed_chunk")
    }

    @Test func `is not made of one with odd but clear chunks`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for chunks in [
            "00000005\r\nhello\r\n000\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n", "1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
        ] {
            client.send("POST /echo HTTP/1.1\r\nHost: x\r\ntransfer-encoding: CHUNKED \r\n\r\n" + chunks)
            #expect(client.readAnswer()?.body == "hello")
        }
        client.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n")
        #expect(client.readAnswer()?.body == "0123456789")
    }

    @Test func `is not made by the path, which only the router refuses`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for path in ["/a/../hello", "/%2e%2e/hello", "/a//b", "/%00", "/a\\b", "/%zz"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = try #require(client.readAnswer())
            #expect(answer.status == 400)
            #expect(answer.body.contains("malformed_path"))
        }
    }

    @Test func `is never answered by anybody but us, whatever its bytes`() throws {
        let server = try TestServer()
        let seeds = [
            "GET /hello?a=b HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
            "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\nhello\r\n\r\n0\r\n",
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "HEAD /hello HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n",
        ].map { Array($0.utf8) }
        var random = Scrambler(state: 20_260_101)
        for _ in 0..<2_000 {
            var bytes = (0..<3).flatMap { _ in seeds[random.below(seeds.count)] }
            for _ in 0..<random.below(4) { random.spoil(&bytes) }
            let client = try TestClient(port: server.port)
            let cut = random.below(bytes.count + 1)
            client.send(Array(bytes[..<cut]))
            client.send(Array(bytes[cut...]))
            client.finishSending()
            let answer = client.readToEnd()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1."))
            #expect(!answer.uppercased().contains("<HTML"))
        }
        let client = try TestClient(port: server.port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.body == "hello")
    }

    /// One answer in the one shape, the connection closed, and nothing of what followed was served.
    private func expectRefusal(_ answer: String, _ status: Int, _ code: String?) throws {
        #expect(answer.hasPrefix("HTTP/1.1 \(status) ") || answer.hasPrefix("HTTP/1.0 \(status) "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains("\r\nContent-Type: application/json\r\n"))
        #expect(answer.split(separator: "\r\nDate: ").count == 2)
        #expect(!answer.contains("<") && !answer.hasSuffix("hello"))
        if let code { #expect(answer.contains(#"{"error":{"code":"\#(code)","message":""#)) }
    }
}

/// Spoils bytes in the same way in every run.
private struct Scrambler {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }

    mutating func spoil(_ bytes: inout [UInt8]) {
        let place = below(bytes.count)
        switch below(5) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: below(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(Array("\r\n \t\0:,0;%/".utf8)[below(11)], at: place)
        case 3: bytes.insert(contentsOf: bytes[place..<min(place + below(20), bytes.count)], at: below(bytes.count))
        default: bytes.replaceSubrange(place..<min(place + below(5), bytes.count), with: [])
        }
    }
}
