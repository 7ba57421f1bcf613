import RouteContract

/// What one gate says about one move.
package struct GateResult: Hashable, Sendable {
    package enum Verdict: Hashable, Sendable {
        case pass
        /// Blocks the move; the text says what is missing.
        case fail(String)
        /// Nothing stored can decide it; does not block, unless the gate needs an answer.
        case unknown(String)
    }
    /// Stable: `owner`, `contract`, `bothRenderers`, …
    package let name: String
    /// A hard gate cannot be forced.
    package let isHard: Bool
    /// An unknown blocks like a failure and cannot be forced either: only a waiver passes it by.
    package let needsAnswer: Bool
    package let verdict: Verdict
    /// What would make the gate pass.
    package let remedy: String
    /// Milliseconds since 1970 at which it passes by itself; nil where time alone does not help.
    package var passesAt: Int64?
    /// What passes it by, where it does not pass.
    package private(set) var waiver: Waiver?

    package init(name: String, isHard: Bool, needsAnswer: Bool = false, verdict: Verdict, remedy: String) {
        self.name = name
        self.isHard = isHard
        self.needsAnswer = needsAnswer
        self.verdict = verdict
        self.remedy = remedy
    }

    /// Whether the gate blocks the move.
    package var isFailing: Bool {
        guard waiver == nil else { return false }
        return switch verdict {
        case .pass: false
        case .fail: true
        case .unknown: needsAnswer
        }
    }

    /// Whether a waiver could pass it by: a soft gate, or the unknown of one that needs an answer.
    package var mayBeWaived: Bool {
        switch verdict {
        case .pass, .fail: !isHard && !needsAnswer
        case .unknown: !isHard
        }
    }

    /// Whether the role admin may pass it by without a waiver.
    var mayBeForced: Bool { !isHard && !needsAnswer }

    /// The gate with a waiver, where it does not pass and may be waived.
    func waived(by waiver: Waiver?) -> GateResult {
        guard verdict != .pass, mayBeWaived else { return self }
        var gate = self
        gate.waiver = waiver
        return gate
    }
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
