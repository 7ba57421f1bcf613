import FlagEvaluation
import RouteContract

/// A route that came to another stage.
package struct StageMove: Hashable, Sendable {
    package let route: String
    package let from: Stage
    package let to: Stage
    /// Milliseconds since 1970.
    package let at: Int64

    package init(route: String, from: Stage, to: Stage, at: Int64) {
        self.route = route
        self.from = from
        self.to = to
        self.at = at
    }

    /// What follows the point in an action that may bring routes to another stage. A judgement and a document
    /// may roll back.
    private static let words: Set<Substring> = ["advance", "retreat", "resume", "rollback", "judge", "apply"]

    /// Whether an entry of the audit with that action may tell of such a route.
    package static func mayBe(in action: String) -> Bool {
        action.split(separator: ".").last.map { words.contains($0) } ?? false
    }

    /// The routes of which an entry of the audit tells that they came to another stage: `before` and `after` are what it
    /// holds, of one route, of several or of a document. What cannot be read is passed over.
    package static func moves(subject: String, before: JSONValue, after: JSONValue, at time: Int64) -> [StageMove] {
        let (earlier, later) = (stages(subject, before), stages(subject, after))
        return later.compactMap { route, stage in
            guard let from = earlier[route], from != stage else { return nil }
            return StageMove(route: route, from: from, to: stage, at: time)
        }
    }

    private static func stages(_ subject: String, _ side: JSONValue) -> [String: Stage] {
        func stage(_ route: JSONValue) -> Stage? { route["stage"]?.string.flatMap { Stage(rawValue: $0) } }
        if let routes = (side["routes"] ?? side["items"]?["routes"])?.object {
            let known = routes.entries.compactMap { key, route in stage(route).map { (key, $0) } }
            return Dictionary(known, uniquingKeysWith: { first, _ in first })
        }
        let parts = subject.split(separator: "/", maxSplits: 1)
        guard parts.count == 2, parts[0] == "route", let stage = stage(side) else { return [:] }
        return [String(parts[1]): stage]
    }
}
