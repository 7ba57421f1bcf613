import HTTPServer
import Storage

/// One line of the API: what is asked for, who may ask, and what answers.
package struct APIRoute: Sendable {
    package let method: Method
    package let pattern: String
    /// Nil for what needs no key.
    package let permission: Permission?
}

/// Everything a handler knows besides its request.
struct Call {
    let service: Service
    let worker: Worker
    let principal: Principal
    /// Milliseconds since 1970.
    let now: Int64

    /// The newest published configuration, compiled.
    var snapshot: Snapshot { worker.snapshot }
}

/// The endpoints while they are being listed. Each goes through one place that asks for the key.
struct API {
    let service: Service
    private(set) var routes = Routes()
    private(set) var listed: [APIRoute] = []

    init(service: Service) { self.service = service }

    /// Adds an endpoint for callers who have that permission.
    mutating func add(
        _ method: Method, _ pattern: String, _ permission: Permission, bodyLimit: Int? = nil,
        use handler: @escaping @Sendable (borrowing Request, borrowing Call) throws -> Reply
    ) {
        listed.append(APIRoute(method: method, pattern: pattern, permission: permission))
        routes.add(method, pattern, bodyLimit: bodyLimit) { [service] request in
            let worker = service.worker(request.worker)
            let now = service.now()
            let principal = try worker.principal(of: request, for: permission, at: now)
            return try handler(request, Call(service: service, worker: worker, principal: principal, now: now))
        }
    }

    /// Adds an endpoint that needs no key.
    mutating func addOpen(_ method: Method, _ pattern: String, use handler: @escaping Handler) {
        listed.append(APIRoute(method: method, pattern: pattern, permission: nil))
        routes.add(method, pattern, use: handler)
    }
}
