/// Somebody's word that a gate of a route need not pass for a while. It is no evidence.
package struct Waiver: Hashable, Sendable {
    /// There is one a route, gate and move.
    package struct ID: Hashable, Sendable {
        package let route: String
        /// The gate's name.
        package let gate: String
        /// The name of the only move that it is for, such as `defaultNew` or `step 3`; nil for every move.
        package let move: String?

        package init(route: String, gate: String, move: String? = nil) {
            self.route = route
            self.gate = gate
            self.move = move
        }
    }

    package let id: ID
    /// Who answers for it: the holder of the key that granted it.
    package let approver: String
    package let reason: String
    /// Milliseconds since 1970.
    package let grantedAt: Int64
    package let expiresAt: Int64

    package init(id: ID, approver: String, reason: String, grantedAt: Int64, expiresAt: Int64) {
        self.id = id
        self.approver = approver
        self.reason = reason
        self.grantedAt = grantedAt
        self.expiresAt = expiresAt
    }

    /// Whether it still counts. Nothing has to be written when it ends.
    package func holds(at now: Int64) -> Bool { now < expiresAt }
}

extension Waiver.ID: Comparable {
    package static func < (left: Waiver.ID, right: Waiver.ID) -> Bool {
        (left.route, left.gate, left.move ?? "") < (right.route, right.gate, right.move ?? "")
    }
}
