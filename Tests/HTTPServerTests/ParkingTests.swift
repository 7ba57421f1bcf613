import Foundation
import SocketClient
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(5))) struct `A parked request` {
    private let request = "POST /park HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi"

    @Test func `is answered once, from any thread, on its own connection`() async throws {
        let server = try TestServer(workers: 2)
        var clients: [TestClient] = []
        var parked: [ParkedRequest] = []
        for _ in 0..<64 {
            let client = try TestClient(port: server.port)
            client.send(request)
            clients.append(client)
            parked.append(await server.parked.next())
        }
        #expect(server.server.counters.parkedRequests == 64)
        await withTaskGroup(of: Void.self) { group in
            for (index, request) in parked.enumerated() {
                group.addTask {
                    request.complete(with: Response(status: 200, contentType: .text, body: Array("\(index)".utf8)))
                    request.complete(with: Response(status: 500))
                }
            }
        }
        for (index, client) in clients.enumerated() {
            let answer = try #require(client.readAnswer())
            #expect(answer.status == 200)
            #expect(answer.body == "\(index)")
        }
        #expect(server.server.counters.parkedRequests == 0)
        let index = server.server.router.routes.firstIndex { $0.pattern == "/park" } ?? 0
        #expect(server.server.counters.routes[index].answersByStatusClass == [0, 0, 64, 0, 0, 0])
    }

    @Test func `holds back what the client sent after it`() async throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send(request + "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        await server.parked.next().complete(with: Response(status: 202))
        #expect(client.readAnswer()?.status == 202)
        #expect(client.readAnswer()?.body == "hello")
    }

    @Test func `that is let go is answered 500`() async throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send(request)
        _ = await server.parked.next()
        let answer = try #require(client.readAnswer())
        #expect(answer.status == 500)
        #expect(answer.body.contains("unanswered"))
        client.send("GET /forgotten HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.status == 500)
    }

    @Test func `whose client has gone is forgotten, by the thousand`() async throws {
        let server = try TestServer(workers: 2)
        for round in 0..<40 {
            var parked: [ParkedRequest] = []
            do {
                var clients: [TestClient] = []
                for index in 0..<100 {
                    let client = try TestClient(port: server.port)
                    if index % 2 == 0 { client.setAbortOnClose() }
                    client.send(request)
                    clients.append(client)
                    parked.append(await server.parked.next())
                }
            }
            // All clients are gone. Some answers come at once, in bursts, others with the next round.
            for request in parked { request.complete(with: Response(status: 200, body: Array("\(round)".utf8))) }
        }
        let client = try TestClient(port: server.port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.body == "hello")
        while server.server.counters.openConnections > 1 {}
        #expect(server.server.counters.parkedRequests == 0)
        #expect(server.server.counters.acceptedConnections == 4_001)
    }

    @Test func `may be answered while its client is going`() async throws {
        let server = try TestServer(workers: 2)
        for _ in 0..<1_000 {
            var client: TestClient? = try TestClient(port: server.port)
            client?.setAbortOnClose()
            client?.send(request + request)
            let parked = await server.parked.next()
            async let answered: Void = parked.complete(with: Response(status: 200))
            client = nil
            await answered
            // The second request of the same connection may or may not have been seen.
        }
        let client = try TestClient(port: server.port)
        client.send("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(client.readAnswer()?.body == "hello")
    }

    @Test func `that the handler answered after all cannot answer the next one`() async throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send("POST /park-and-throw HTTP/1.1\r\nHost: x\r\n\r\n")
        let stale = await server.parked.next()
        #expect(client.readAnswer()?.body.contains("it broke") == true)
        client.send(request)
        let fresh = await server.parked.next()
        stale.complete(with: Response(status: 200, contentType: .text, body: Array("stale".utf8)))
        fresh.complete(with: Response(status: 200, contentType: .text, body: Array("fresh".utf8)))
        #expect(client.readAnswer()?.body == "fresh")
    }

    @Test func `may be answered after the server has stopped`() async throws {
        let server = try TestServer()
        let client = try TestClient(port: server.port)
        client.send(request)
        let parked = await server.parked.next()
        server.server.stop(graceSeconds: 0)
        #expect(client.isClosed())
        #expect(server.server.counters.openConnections == 0)
        parked.complete(with: Response(status: 200))
    }
}
