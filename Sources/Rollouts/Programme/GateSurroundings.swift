/// What the gates of each route look into, found for all of them in one pass.
///
/// A gate that looks through all conditions or all routes is quick for one route; for three hundred it would be called as
/// often.
struct GateSurroundings {
    private let whole: Configuration
    /// By route.
    private let conditions: [String: [StopCondition]]
    /// The routes that a route excludes, and those that exclude it.
    private let rivals: [String: Set<String>]

    init(in configuration: Configuration) {
        whole = configuration
        conditions = Dictionary(grouping: configuration.conditions.values) { $0.id.route }
        var rivals: [String: Set<String>] = [:]
        for route in configuration.routes.values {
            for other in route.excludes {
                rivals[route.key, default: []].insert(other)
                rivals[other, default: []].insert(route.key)
            }
        }
        self.rivals = rivals
    }

    /// The configuration with only those conditions and routes that gates of that route ask for.
    func configuration(around route: RouteRollout) -> Configuration {
        var part = whole
        part.conditions = Dictionary((conditions[route.key] ?? []).map { ($0.id, $0) }) { $1 }
        part.routes = [route.key: route]
        for key in rivals[route.key, default: []].union(route.requires) { part.routes[key] = whole.routes[key] }
        return part
    }
}
