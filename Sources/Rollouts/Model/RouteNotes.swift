/// A move that passed gates by force: shown wherever the route is, until the next move.
package struct ForcedMove: Hashable, Sendable {
    /// The name of the move, such as `partialRollout` or `step 2`.
    package let move: String
    /// The names of the gates that did not pass.
    package let gates: [String]
    package let actor: String
    package let reason: String
    /// Milliseconds since 1970.
    package let at: Int64

    package init(move: String, gates: [String], actor: String, reason: String, at: Int64) {
        self.move = move
        self.gates = gates
        self.actor = actor
        self.reason = reason
        self.at = at
    }
}

/// The stop of a condition that is not cleared up yet: the route's rules are locked until somebody names the cause.
package struct RouteStop: Hashable, Sendable {
    /// The condition's key.
    package let condition: String
    /// The hash of the version that stopped.
    package let hash: String
    /// Milliseconds since 1970.
    package let at: Int64

    package init(condition: String, hash: String, at: Int64) {
        self.condition = condition
        self.hash = hash
        self.at = at
    }
}
