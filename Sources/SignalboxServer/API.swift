import HTTPServer
import Rollouts
import Storage

/// One line of the API: what is asked for, who may ask, and what answers.
package struct APIRoute: Sendable {
    package let method: Method
    package let pattern: String
    /// Nil for what needs no key.
    package let permission: Permission?
    /// What the description of the API says of it.
    package let about: About
}

/// Everything a handler knows besides its request.
struct Call {
    let service: Service
    let worker: Worker
    let principal: Principal
    /// The newest published configuration when the request came, compiled. A request keeps to one: an index that was
    /// found in it means nothing in another.
    let snapshot: Snapshot
    /// Milliseconds since 1970.
    let now: Int64
}

/// The endpoints while they are being listed. Each goes through one place that asks for the key.
struct API {
    let service: Service
    fileprivate(set) var routes = Routes()
    fileprivate(set) var listed: [APIRoute] = []

    init(service: Service) { self.service = service }

    /// Adds an endpoint for callers who have that permission.
    mutating func add(
        _ method: Method, _ pattern: String, _ permission: Permission, _ about: About = About(""),
        bodyLimit: Int? = nil,
        use handler: @escaping @Sendable (borrowing Request, borrowing Call) throws -> Reply
    ) {
        listed.append(APIRoute(method: method, pattern: pattern, permission: permission, about: about))
        let parameters = permission.isAdministrative ? about.queryParameters : nil
        routes.add(method, pattern, bodyLimit: bodyLimit) { [service] request in
            let worker = service.worker(request.worker)
            let now = service.now()
            let snapshot = worker.newestSnapshot()
            let principal = try worker.principal(of: request, for: permission, in: snapshot, at: now)
            request.identify(principal.id)
            try service.rateLimits.admit(principal, request, at: now)
            if let parameters { try request.checkQuery(knowing: parameters, isStop: about.isStop) }
            return try handler(
                request,
                Call(service: service, worker: worker, principal: principal, snapshot: snapshot, now: now))
        }
    }

    /// Adds an endpoint that needs no key.
    mutating func addOpen(
        _ method: Method, _ pattern: String, _ about: About = About(""), use handler: @escaping Handler
    ) {
        listed.append(APIRoute(method: method, pattern: pattern, permission: nil, about: about))
        routes.add(method, pattern, use: handler)
    }
}

extension API {
    /// Adds an event stream, which opens to a token in its address too.
    mutating func addStream(
        _ pattern: String, _ about: About,
        use handler: @escaping @Sendable (borrowing Request, StreamRight, Snapshot, Service) -> Reply
    ) {
        listed.append(APIRoute(method: .get, pattern: pattern, permission: .evaluate, about: about))
        routes.add(.get, pattern) { [service] request in
            let worker = service.worker(request.worker)
            let now = service.now()
            let snapshot = worker.newestSnapshot()
            let right: StreamRight
            if let token = request.query("token") {
                right = try StreamLink.right(showing: token, at: snapshot, now: now)
            } else {
                let key = try worker.principal(of: request, for: .evaluate, in: snapshot, at: now).key
                right = StreamRight(keyID: key.id, end: key.expiresAt ?? .max)
            }
            request.identify(right.keyID)
            try service.rateLimits.admitStream(of: right.keyID, request, at: now)
            return handler(request, right, snapshot, service)
        }
    }
}
