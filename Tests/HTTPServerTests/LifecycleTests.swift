import Foundation
import SocketClient
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct `A server` {
    private func start(_ change: (inout ServerConfiguration) -> Void) throws(HTTPServerError) {
        var configuration = ServerConfiguration()
        change(&configuration)
        let server = HTTPServer(
            configuration: configuration, router: Router(TestServer.routes(), errors: .testing))
        try server.start()
        server.stop(graceSeconds: 0)
    }

    @Test func `does not share its port with another server`() throws {
        let first = try TestServer(workers: 2)
        let error = #expect(throws: HTTPServerError.self) { try start { $0.port = first.port } }
        #expect(error?.code == .addressInUse)
        #expect(error?.message.contains("\(first.port)") == true)
    }

    @Test(arguments: ["192.0.2.1", "not-an-address", "localhost", ""])
    func `says that it cannot listen on an address of somebody else`(address: String) {
        let error = #expect(throws: HTTPServerError.self) { try start { $0.address = address } }
        #expect(error?.code == .addressNotAvailable)
    }

    @Test func `gives the port back when it stops`() throws {
        let first = try TestServer(workers: 2)
        let port = first.port
        let client = try TestClient(port: port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.status == 200)
        first.server.stop(graceSeconds: 5)
        #expect(client.isClosed())
        try start { $0.port = port }
    }

    @Test func `listens on IPv6 too`() throws {
        let server = try TestServer { $0.address = "::1" }
        #expect(server.port != 0)
    }

    @Test func `finishes what is in flight before it stops, and takes nothing new`() async throws {
        let server = try TestServer { $0.headDeadlineSeconds = 0.2 }
        let client = try TestClient(port: server.port)
        client.send("POST /park HTTP/1.1\r\nHost: x\r\n\r\n")
        let parked = await server.parked.next()
        let slow = try TestClient(port: server.port)
        slow.send("GET /hello")
        // Sent later, so once it is answered the one worker has read the beginning of the slow one too.
        let idle = try TestClient(port: server.port)
        idle.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(idle.readAnswer()?.status == 200)

        Thread.detachNewThread { [server = server.server] in server.stop(graceSeconds: 30) }
        #expect(idle.isClosed())
        while (try? TestClient(port: server.port)) != nil {}
        #expect(slow.readToEnd().contains("request_timeout"))
        parked.complete(with: Response(status: 202, contentType: .text, body: Array("done".utf8)))
        let answer = try #require(client.readAnswer())
        #expect(answer.body == "done")
        #expect(answer.header("Connection") == "close")
        #expect(client.isClosed())
    }

    @Test func `spreads connections over its workers`() throws {
        let server = try TestServer(workers: 2)
        var clients: [TestClient] = []
        while clients.count < 64 {
            let client = try TestClient(port: server.port)
            client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(client.readAnswer()?.status == 200)
            clients.append(client)
        }
        #expect(server.server.counters.openConnections == 64)
    }

    @Test func `counts what it does`() throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        for path in ["/hello", "/hello", "/throw", "/nowhere", "/bytes/1"] {
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = client.readAnswer()
        }
        _ = try TestClient.exchange(server.port, "nonsense\r\n")
        let counters = server.server.counters
        let index = { (pattern: String) in server.server.router.routes.firstIndex { $0.pattern == pattern } ?? 0 }
        #expect(counters.routes[index("/hello")].answersByStatusClass == [0, 0, 2, 0, 0, 0])
        #expect(counters.routes[index("/hello")].latencies.reduce(0, +) == 2)
        #expect(counters.routes[index("/throw")].answersByStatusClass == [0, 0, 0, 0, 0, 1])
        #expect(counters.unrouted.answersByStatusClass == [0, 0, 0, 0, 1, 0])
        #expect(counters.refusedByStatus == [400: 1])
        #expect(counters.acceptedConnections == 2)
        #expect(counters.parkedRequests == 0)
    }
}
