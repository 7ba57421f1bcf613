import RouteContract

/// What one gate says about one move.
package struct GateResult: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case pass
        /// Blocks the move; the text says what is missing.
        case fail(String)
        /// Nothing stored can decide it; does not block.
        case unknown(String)
    }
    /// Stable: `owner`, `contract`, `bothRenderers`, …
    package let name: String
    /// A hard gate cannot be forced.
    package let isHard: Bool
    package let verdict: Verdict
    /// What would make the gate pass.
    package let remedy: String

    package init(name: String, isHard: Bool, verdict: Verdict, remedy: String) {
        self.name = name
        self.isHard = isHard
        self.verdict = verdict
        self.remedy = remedy
    }

    /// Whether the gate blocks the move.
    package var isFailing: Bool { if case .fail = verdict { true } else { false } }
}

/// Where `advance` leads a route next.
package enum NextMove: Hashable, Sendable {
    case stage(Stage)
    /// A step of the ladder, counted from 1.
    case step(Int)

    /// `partialRollout` for a stage, `step 3` for a step.
    package var name: String {
        switch self {
        case .stage(let stage): stage.rawValue
        case .step(let step): "step \(step)"
        }
    }
}
