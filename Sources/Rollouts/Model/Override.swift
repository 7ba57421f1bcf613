import RouteContract

/// One unit that is to see one renderer of a route, whatever the ladder says: for QA and developers.
package struct Override: Hashable, Sendable {
    /// What an override is known by: there is one a route and unit.
    package struct ID: Hashable, Sendable {
        package let route: String
        package let unit: String

        package init(route: String, unit: String) {
            self.route = route
            self.unit = unit
        }

        /// Reads `text`; nil without a slash. A route's key contains none.
        init?(text: String) {
            let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            self.init(route: String(parts[0]), unit: String(parts[1]))
        }

        /// `trips.edit/u-1`
        var text: String { "\(route)/\(unit)" }
    }

    package let id: ID
    package let renderer: Renderer
    /// Who answers for it.
    package let owner: String
    package let reason: String
    /// Milliseconds since 1970, in whole seconds: a rule compares with seconds, and both must say the same.
    package let expiresAt: Int64

    package init(id: ID, renderer: Renderer, owner: String, reason: String, expiresAt: Int64) {
        self.id = id
        self.renderer = renderer
        self.owner = owner
        self.reason = reason
        self.expiresAt = expiresAt - expiresAt % 1_000
    }

    /// Whether it still counts at that time. Nothing has to be written when it ends.
    package func holds(at now: Int64) -> Bool { now < expiresAt }
}

extension Override.ID: Comparable {
    package static func < (left: Override.ID, right: Override.ID) -> Bool {
        (left.route, left.unit) < (right.route, right.unit)
    }
}
