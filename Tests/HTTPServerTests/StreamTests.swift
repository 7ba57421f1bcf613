import SocketClient
import Synchronization
import Testing

@testable import HTTPServer

/// A server whose `/events/:owner` opens a stream that ends at the time in its query.
private final class StreamServer {
    let server: HTTPServer
    let channel: EventChannel

    init(workers: Int = 1, streamLimit: Int = 100) throws {
        let channel = EventChannel()
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.workers = workers
        configuration.streamLimit = streamLimit
        var routes = Routes()
        routes.get("/events/:owner") { request in
            .stream(
                EventStream(
                    on: channel, owner: request.parameter("owner"), endsAt: Int64(request.query("end") ?? "") ?? .max,
                    knows: Int64(request.query("knows") ?? "") ?? 0, opening: Array("retry: 1\n\n".utf8)))
        }
        routes.get("/hello") { _ in .now(Response(status: 200, contentType: .text, body: Array("hello".utf8))) }
        server = HTTPServer(configuration: configuration, router: Router(routes, errors: .testing))
        self.channel = channel
        try server.start()
    }

    deinit { server.stop(graceSeconds: 0) }

    /// A stream that has begun.
    func open(
        _ owner: String = "ann", end: Int64 = .max, knows number: Int64 = 0, version: String = "1.1"
    ) throws -> TestClient {
        let client = try TestClient(port: server.port)
        client.send("GET /events/\(owner)?end=\(end)&knows=\(number) HTTP/\(version)\r\nHost: x\r\n\r\n")
        _ = try #require(client.read(through: "retry: 1\n\n"))
        return client
    }
}

private let numbers = Atomic<Int64>(0)

extension EventChannel {
    /// Sends an event that is later than all before.
    fileprivate func send(_ event: [UInt8]) { send(event, number: numbers.add(1, ordering: .relaxed).newValue) }
}

@Suite(.timeLimit(.minutes(5))) struct `An event stream` {
    @Test func `begins with its head and its opening as a chunk`() throws {
        let streams = try StreamServer()
        let client = try TestClient(port: streams.server.port)
        client.send("GET /events/ann HTTP/1.1\r\nHost: x\r\n\r\n")
        let text = try #require(client.read(through: "retry: 1\n\n\r\n"))
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        for line in ["Content-Type: text/event-stream", "Transfer-Encoding: chunked", "Cache-Control: no-store"] {
            #expect(text.contains("\r\n\(line)\r\n"))
        }
        #expect(text.hasSuffix("\r\n\r\na\r\nretry: 1\n\n\r\n"))
        #expect(!text.contains("Content-Length"))
    }

    @Test(arguments: [1, 2]) func `of any worker gets each event, in order`(workers: Int) throws {
        let streams = try StreamServer(workers: workers)
        let clients = try (0..<40).map { _ in try streams.open() }
        #expect(streams.channel.counters.open == 40)
        for event in ["one", "two"] {
            streams.channel.send(Array("data: \(event)\n\n".utf8))
            for client in clients {
                #expect(client.read(through: "\n\n\r\n")?.hasSuffix("b\r\ndata: \(event)\n\n\r\n") == true)
            }
        }
        #expect(streams.channel.counters.sent == 80)
        streams.channel.beat(Array(":\n\n".utf8))
        for client in clients { #expect(client.read(through: ":\n\n\r\n") != nil) }
        #expect(streams.channel.counters.sent == 80)
    }

    /// Events that come faster than all streams can be told of one must not leave those out that are told last.
    @Test func `hears of a change while changes never stop`() throws {
        let streams = try StreamServer(streamLimit: 300)
        let clients = try (0..<300).map { _ in try streams.open() }
        let changes = Task { [channel = streams.channel] in
            while !Task.isCancelled {
                channel.send(Array("data: x\n\n".utf8))
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { changes.cancel() }
        for client in clients { try #require(client.read(through: "data: x\n\n") != nil) }
    }

    @Test func `is not sent what is older than what it began with`() throws {
        let streams = try StreamServer()
        let (old, new) = (try streams.open(knows: 1_000_000_003), try streams.open(knows: 1_000_000_005))
        for number: Int64 in 4...6 {
            streams.channel.send(Array("data: \(number)\n\n".utf8), number: 1_000_000_000 + number)
            #expect(old.read(through: "\n\n\r\n")?.hasSuffix("data: \(number)\n\n\r\n") == true)
        }
        #expect(new.read(through: "\n\n\r\n")?.hasSuffix("data: 6\n\n\r\n") == true)
    }

    @Test func `of HTTP 1.0 has no chunks and lasts until it closes`() throws {
        let streams = try StreamServer()
        let client = try streams.open(version: "1.0")
        streams.channel.send(Array("data: x\n\n".utf8))
        #expect(client.read(through: "\n\n") == "data: x\n\n")
    }

    @Test func `ends where its owner or its time says so, and the others go on`() throws {
        let streams = try StreamServer()
        let (ann, early, bob) = (try streams.open("ann"), try streams.open("bob", end: 5), try streams.open("bob"))
        streams.channel.end { owner, end in owner == "ann" || end <= 5 }
        for gone in [ann, early] { #expect(gone.readToEnd().hasSuffix("0\r\n\r\n")) }
        streams.channel.send(Array("data: x\n\n".utf8))
        #expect(bob.read(through: "data: x\n\n") != nil)
        #expect(streams.channel.counters.open == 1)
    }

    @Test func `is forgotten when its client goes, whichever it is`() throws {
        let streams = try StreamServer()
        var clients = try (0..<20).map { _ in try streams.open() }
        for index in [0, 18, 9, 3] { clients.remove(at: index) }
        // The server may see a close only after the event; then it writes to nobody, which harms nobody either.
        streams.channel.send(Array("data: x\n\n".utf8))
        for client in clients { #expect(client.read(through: "data: x\n\n") != nil) }
        clients = []
        let other = try streams.open()
        streams.channel.send(Array("data: y\n\n".utf8))
        #expect(other.read(through: "data: y\n\n") != nil)
    }

    @Test func `whose client does not read is dropped, and no other`() throws {
        let streams = try StreamServer()
        let (slow, quick) = (try streams.open("slow"), try streams.open("quick"))
        let event = Array("data: \(String(repeating: "x", count: 8_000))\n\n".utf8)
        // Events replace each other until they are sent, so each is waited for on the stream that is read.
        var events = 0
        while streams.channel.counters.dropped == 0, events < 10_000 {
            streams.channel.send(event)
            #expect(quick.read(through: "\n\n\r\n") != nil)
            events += 1
        }
        #expect(streams.channel.counters.dropped == 1)
        #expect(streams.channel.counters.open == 1)
        _ = slow.readToEnd()
    }

    @Test func `ends with a client that speaks where it has nothing to say`() throws {
        let streams = try StreamServer()
        let client = try streams.open()
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!client.readToEnd().contains("hello"))
    }

    @Test func `above the limit is refused, and HEAD opens none`() throws {
        let streams = try StreamServer(streamLimit: 1)
        let head = try TestClient(port: streams.server.port)
        head.send("HEAD /events/ann HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(head.readAnswer(hasBody: false)?.status == 200)
        let first = try streams.open()
        let second = try TestClient(port: streams.server.port)
        second.send("GET /events/ann HTTP/1.1\r\nHost: x\r\n\r\n")
        let refused = try #require(second.readAnswer())
        #expect(refused.status == 503)
        #expect(refused.body.contains("too_many_streams"))
        streams.channel.send(Array("data: x\n\n".utf8))
        #expect(first.read(through: "data: x\n\n") != nil)
    }

    @Test func `does not keep the server from stopping`() throws {
        let streams = try StreamServer()
        let client = try streams.open()
        streams.server.stop(graceSeconds: 30)
        #expect(client.readToEnd().hasSuffix("0\r\n\r\n"))
        #expect(streams.channel.counters.open == 0)
        streams.channel.send(Array("data: x\n\n".utf8))
    }
}
