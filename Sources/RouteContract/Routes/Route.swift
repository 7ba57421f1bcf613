/// One destination of a flow, as a value: the minimum of stable data from which the screen can be built again.
///
/// A route holds ids, never loaded models: it is stored, put into links, and decoded by builds that were released
/// years later. One type has all the routes of one flow.
public protocol Route: Codable, Hashable, Sendable {
    /// The key of the flow that all routes of this type belong to.
    static var flow: String { get }
    /// The keys of all routes of the flow: a journey freezes one choice for each.
    static var keys: [String] { get }
    /// The version of the stored form, counted from 1. It grows when a new build writes what an old one cannot read.
    static var schemaVersion: Int { get }

    /// The key that stage and choice are kept under: `orders.detail`.
    var key: String { get }
    /// The nearest ancestor, for when the destination is gone; nil for the first screen of a flow.
    var fallback: Self? { get }
}

extension Route {
    /// The route and its ancestors, nearest first. Ends even if the ancestors of a contract run in a circle.
    var withFallbacks: [Self] {
        var routes = [self]
        while let next = routes.last?.fallback, !routes.contains(next) { routes.append(next) }
        return routes
    }
}
