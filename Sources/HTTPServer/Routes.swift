/// Answers one request. Runs on a worker's thread and must not wait for anything.
package typealias Handler = @Sendable (borrowing Request) throws -> Reply

/// One line of the routing table.
package struct Route: Sendable {
    /// The method it answers; a GET route answers HEAD too.
    package let method: Method
    /// The path, with `:name` for a parameter: `/v1/routes/:key/advance`.
    package let pattern: String
    /// The largest body it takes, in bytes; nil is the router's default.
    package let bodyLimit: Int?
    /// What answers.
    package let handler: Handler

    /// The names of the parameters, from left to right.
    package var parameterNames: [String] {
        pattern.split(separator: "/").filter { $0.hasPrefix(":") }.map { String($0.dropFirst()) }
    }
}

/// The list that a router is made of.
package struct Routes: Sendable {
    /// In the order of adding, which is also the order of the counters.
    package private(set) var all: [Route] = []

    /// No routes yet.
    package init() {}

    /// Adds a route. `pattern` starts with a slash and has at most four parameters.
    package mutating func add(
        _ method: Method, _ pattern: String, bodyLimit: Int? = nil, use handler: @escaping Handler
    ) {
        all.append(Route(method: method, pattern: pattern, bodyLimit: bodyLimit, handler: handler))
    }

    /// Adds a GET route, which answers HEAD too.
    package mutating func get(_ pattern: String, use handler: @escaping Handler) {
        add(.get, pattern, use: handler)
    }

    /// Adds a POST route.
    package mutating func post(_ pattern: String, bodyLimit: Int? = nil, use handler: @escaping Handler) {
        add(.post, pattern, bodyLimit: bodyLimit, use: handler)
    }

    /// Adds a PUT route.
    package mutating func put(_ pattern: String, bodyLimit: Int? = nil, use handler: @escaping Handler) {
        add(.put, pattern, bodyLimit: bodyLimit, use: handler)
    }

    /// Adds a PATCH route.
    package mutating func patch(_ pattern: String, bodyLimit: Int? = nil, use handler: @escaping Handler) {
        add(.patch, pattern, bodyLimit: bodyLimit, use: handler)
    }

    /// Adds a DELETE route.
    package mutating func delete(_ pattern: String, bodyLimit: Int? = nil, use handler: @escaping Handler) {
        add(.delete, pattern, bodyLimit: bodyLimit, use: handler)
    }
}
