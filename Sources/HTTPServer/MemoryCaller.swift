import CEvHTTP

/// Sends one request to a router again and again, as a worker does for each from a connection but without a socket: for
/// measuring. Limits, routing, handler and counters are those of the server.
package final class MemoryCaller {
    private let router: Router
    private let exchange: MemoryExchange
    private let counters: WorkerCounters
    private let method: Method
    private let target: [UInt8]
    private let body: [UInt8]

    /// A request to be sent.
    package init(_ router: Router, _ method: Method, _ target: String, headers: [(String, String)], body: String) {
        self.router = router
        self.method = method
        self.target = Array(target.utf8)
        self.body = Array(body.utf8)
        exchange = MemoryExchange(headers: headers, router: router)
        counters = WorkerCounters(routeCount: router.routes.count)
    }

    /// Sends it; nil when the handler parks it.
    package func call() -> Response? {
        let start = sbx_nanoseconds()
        let (reply, route) = target.withUnsafeBytes { target in
            body.withUnsafeBytes { body in
                guard body.count <= router.bodyLimit(of: method, target: target) else {
                    return (Reply.now(router.errors.forRefusal(.bodyTooLarge)), Int?.none)
                }
                return router.answer(method, target: target, body: body, worker: 0, from: .memory(exchange))
            }
        }
        guard case .now(let response) = reply else { return nil }
        counters.count(route: route, status: response.status, nanoseconds: sbx_nanoseconds() &- start)
        return response
    }
}
