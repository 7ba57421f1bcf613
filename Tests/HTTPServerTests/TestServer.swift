import Synchronization

@testable import HTTPServer

/// A server on a free port with the routes that the tests need.
final class TestServer {
    let server: HTTPServer
    /// What `/park` has parked and nobody has answered.
    let parked: ParkedRequests

    init(workers: Int = 1, _ change: (inout ServerConfiguration) -> Void = { _ in }) throws {
        let parked = ParkedRequests()
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.workers = workers
        change(&configuration)
        server = HTTPServer(
            configuration: configuration, router: Router(TestServer.routes(parked), errors: .testing))
        self.parked = parked
        try server.start()
    }

    deinit {
        server.stop(graceSeconds: 0)
        // What nobody has answered refers to its worker, which refers to the routes, which refer to it.
        parked.letGo()
    }

    var port: UInt16 { server.port }

    static func routes(_ parked: ParkedRequests = ParkedRequests()) -> Routes {
        var routes = Routes()
        routes.get("/hello") { _ in .now(Response(status: 200, contentType: .text, body: Array("hello".utf8))) }
        routes.post("/echo") { .now(Response(status: 200, contentType: .text, body: Array($0.body))) }
        routes.post("/large", bodyLimit: 1_048_576) { request in
            .now(Response(status: 200, contentType: .text, body: Array("\(request.body.count)".utf8)))
        }
        routes.post("/small", bodyLimit: 10) { .now(Response(status: 200, contentType: .text, body: Array($0.body))) }
        routes.get("/bytes/:count") { request in
            let count = Int(request.parameter("count")) ?? 0
            return .now(Response(status: 200, contentType: .text, body: Array(repeating: 0x78, count: count)))
        }
        routes.get("/seen/:name") { request in
            let seen = [
                request.parameter("name"), request.query("q") ?? "-", request.headerText("X-Seen") ?? "-",
                request.remoteAddress,
            ]
            return .now(Response(status: 200, contentType: .text, body: Array(seen.joined(separator: "|").utf8)))
        }
        routes.get("/empty") { _ in .now(Response(status: 204)) }
        routes.get("/header") { _ in .now(Response(status: 200).addingHeader("X-Told", "one\r\nX-Smuggled: two")) }
        routes.get("/throw") { _ in throw TestError() }
        routes.get("/forgotten") { _ in .later }
        routes.post("/park") { request in
            parked.add(request.park())
            return .later
        }
        routes.post("/park-and-throw") { request in
            parked.add(request.park())
            throw TestError()
        }
        return routes
    }
}

/// Requests that wait for a test to answer them.
final class ParkedRequests: Sendable {
    private struct State {
        var requests: [ParkedRequest] = []
        var arrivals: [CheckedContinuation<ParkedRequest, Never>] = []
    }
    private let state = Mutex(State())

    func add(_ request: ParkedRequest) {
        let waiting: CheckedContinuation<ParkedRequest, Never>? = state.withLock { state in
            if !state.arrivals.isEmpty { return state.arrivals.removeFirst() }
            state.requests.append(request)
            return nil
        }
        waiting?.resume(returning: request)
    }

    /// Forgets what nobody has asked for.
    func letGo() {
        let forgotten = state.withLock { state in
            defer { state.requests = [] }
            return state.requests
        }
        _ = forgotten
    }

    /// The next parked request, waited for.
    func next() async -> ParkedRequest {
        await withCheckedContinuation { continuation in
            let ready: ParkedRequest? = state.withLock { state in
                if !state.requests.isEmpty { return state.requests.removeFirst() }
                state.arrivals.append(continuation)
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }
}

struct TestError: Error {}

extension ErrorResponses {
    /// The one shape of an error body.
    static let testing = ErrorResponses(
        forError: { _ in body(500, "internal", "it broke") },
        forRefusal: { body($0.status, $0.code, $0.message) })

    private static func body(_ status: Int, _ code: String, _ message: String) -> Response {
        Response(status: status, body: Array(#"{"error":{"code":"\#(code)","message":"\#(message)"}}"#.utf8))
    }
}
