import Synchronization

/// Finds the handler of a request and turns whatever goes wrong into an answer. Made once, never changed.
package final class Router: Sendable {
    /// Every route, in the order of adding: for the description of the API and the matrix of who may call what.
    package let routes: [Route]
    /// How errors become answers.
    package let errors: ErrorResponses
    /// The largest body of a route that says nothing else, in bytes.
    package let defaultBodyLimit: Int

    /// Held while a request without a socket is handled, see `handle`.
    let turnInMemory = Mutex(())

    private let table: RouteTable
    private let names: [[String]]
    /// The methods and what the paths begin with of the routes that have a limit of their own.
    private let limited: [(method: Method, prefix: [UInt8])]

    /// A router of these routes.
    package init(_ routes: Routes, errors: ErrorResponses, defaultBodyLimit: Int = 65_536) {
        self.routes = routes.all
        self.errors = errors
        self.defaultBodyLimit = defaultBodyLimit
        table = RouteTable(routes.all)
        names = routes.all.map(\.parameterNames)
        limited = routes.all.filter { $0.bodyLimit != nil }.map { route in
            (route.method, Array(route.pattern.utf8.prefix { $0 != 0x3A }))
        }
    }

    /// The largest body that any route takes.
    var largestBodyLimit: Int { routes.reduce(defaultBodyLimit) { max($0, $1.bodyLimit ?? 0) } }

    func parameterNames(of route: Int) -> [String] { names[route] }

    /// How large the body of a request to this target may be; asked before the body is read.
    func bodyLimit(of method: Method, target: UnsafeRawBufferPointer) -> Int {
        guard limited.contains(where: { $0.method == method && target.starts(with: $0.prefix) }) else {
            return defaultBodyLimit
        }
        let path = UnsafeRawBufferPointer(rebasing: target.prefix { $0 != 0x3F })
        guard PathCheck.isPlain(path), case .found(let match) = table.look(up: path, for: method) else {
            return defaultBodyLimit
        }
        return routes[match.route].bodyLimit ?? defaultBodyLimit
    }

    /// Answers a request. The index is that of the route, nil if none matched.
    func answer(
        _ method: Method, target: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer, worker: Int,
        from source: RequestSource
    ) -> (reply: Reply, route: Int?) {
        let pathEnd = target.firstIndex(of: 0x3F) ?? target.count
        let path = UnsafeRawBufferPointer(rebasing: target[..<pathEnd])
        guard PathCheck.isPlain(path) else { return (.now(errors.forRefusal(.malformedPath)), nil) }
        let query = UnsafeRawBufferPointer(rebasing: target[pathEnd...].dropFirst())
        guard query.isEmpty || PercentDecoding.isText(query) else {
            return (.now(errors.forRefusal(.malformedQuery)), nil)
        }
        switch table.look(up: path, for: method) {
        case .notFound:
            return (.now(errors.forRefusal(.pathNotFound)), nil)
        case .methodNotAllowed(let allowed):
            let names = allowed.map { "\($0.name)" }.joined(separator: ", ")
            return (.now(errors.forRefusal(.methodNotAllowed).addingHeader("Allow", names)), nil)
        case .found(let match):
            guard body.count <= routes[match.route].bodyLimit ?? defaultBodyLimit else {
                return (.now(errors.forRefusal(.bodyTooLarge)), match.route)
            }
            let request = Request(
                method: method, path: path, query: query, body: body, worker: worker, source: source, matched: match,
                router: self)
            do {
                return (try routes[match.route].handler(request), match.route)
            } catch {
                return (.now(errors.forError(error)), match.route)
            }
        }
    }
}
