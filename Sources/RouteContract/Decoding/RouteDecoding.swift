/// A link that was split already, by whatever the platform has for it. Nothing in it is trusted.
public struct Link: Hashable, Sendable {
    /// Without the colon.
    public var scheme: String
    /// Without user, password and port: a link that has them is not to be decoded.
    public var host: String
    /// As it stands in the link, escapes included.
    public var path: String
    /// Names and values, in the order of the link.
    public var query: [Parameter]

    /// One name and its value.
    public struct Parameter: Hashable, Sendable {
        /// Left of the equals sign.
        public var name: String
        /// Right of it.
        public var value: String

        /// A name and its value.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A link by its parts.
    public init(scheme: String, host: String, path: String, query: [Parameter] = []) {
        self.scheme = scheme
        self.host = host
        self.path = path
        self.query = query
    }
}

/// Turns links and notifications into the routes of one flow.
///
/// Pure and total: every input gives a route or a ``RouteError``, before any journey exists. What is not expressly
/// allowed is refused.
public struct RouteDecoding<R: LinkableRoute>: Sendable {
    private let schemes: Set<String>
    private let hosts: Set<String>

    /// Decoding for an app's own links.
    ///
    /// - Parameters:
    ///   - schemes: those that are accepted, in lower case: `https`, `shop`.
    ///   - hosts: those that are accepted, in lower case, spelled out: no wildcard, no subdomains.
    public init(schemes: Set<String>, hosts: Set<String>) {
        self.schemes = schemes
        self.hosts = hosts
    }

    /// The route that a link leads to.
    ///
    /// The query may name the version that the link was written for, `v`; other parameters, as campaigns add them, mean
    /// nothing.
    public func route(for link: Link) throws(RouteError) -> R {
        guard isListed(link.scheme, in: schemes), isListed(link.host, in: hosts) else {
            throw RouteError(.foreignLink, "the link's scheme or host is not one of this app's")
        }
        try checkVersion(link.query.filter { $0.name == "v" }.map(\.value))
        // No path of a route is longer, and splitting takes the time that the text is long.
        guard link.path.utf8.count <= 512, link.path.first == "/" else {
            throw RouteError(.unknownRoute, "no route of \(R.flow) has this path")
        }
        let path = link.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for pattern in R.links {
            guard let ids = pattern.ids(in: path) else { continue }
            return try R.decoded(key: pattern.key, id: ids.first)
        }
        throw RouteError(.unknownRoute, "no route of \(R.flow) has this path")
    }

    /// The route that a notification leads to, and the id by which a second delivery is recognised.
    ///
    /// - Parameter payload: `notification` (its id), `route` (a key), and where they apply `id` and `v`. Other members
    ///   mean nothing.
    public func notification(_ payload: [String: String]) throws(RouteError) -> RouteNotification<R> {
        guard let id = payload["notification"], R.isValidID(id) else {
            throw RouteError(.invalidNotification, "the notification has no id of 1 to 64 of A-Z a-z 0-9 _ -")
        }
        try checkVersion(payload["v"].map { [$0] } ?? [])
        return RouteNotification(id: id, route: try R.decoded(key: payload["route"] ?? "", id: payload["id"]))
    }

    /// Only ASCII is looked up: strings that look alike and compare equal are not the same name to a resolver.
    private func isListed(_ name: String, in list: Set<String>) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 } && list.contains(name.lowercased())
    }

    private func checkVersion(_ versions: [String]) throws(RouteError) {
        if versions.isEmpty { return }
        guard versions.count == 1, let version = Int(versions[0]), (1...R.schemaVersion).contains(version) else {
            throw RouteError(.unsupportedVersion, "this build reads \(R.flow) up to version \(R.schemaVersion)")
        }
    }
}

/// A notification that leads to a route.
public struct RouteNotification<R: Route>: Hashable, Sendable {
    /// The notification's own id. The coordinator starts one journey for it, however often it is delivered.
    public let id: String
    /// Where it leads.
    public let route: R
}
