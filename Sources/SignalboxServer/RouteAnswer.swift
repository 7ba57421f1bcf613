import FlagEvaluation
import Rollouts
import RouteContract

/// What a route's flag answered for somebody, without overrides and scoped rollbacks.
struct RouteAnswer {
    let decision: FlagDecision
    /// In OpenFeature's words, when nothing comes before the flag.
    let reason: Reason
    let errorCode: EvaluationErrorCode?

    /// What the projection gave where only the stage can decide.
    init(_ outcome: EvaluationOutcome, isMigrated: Bool) {
        decision = FlagDecision(isMigrated ? .migrated : .legacy, by: .stage)
        reason = outcome.reason
        errorCode = outcome.errorCode
    }

    /// What the route's `decisionProjection` gave.
    init(_ outcome: EvaluationOutcome) {
        decision = outcome.variant.map { FlagDecision.byVariant[$0] } ?? FlagDecision(.legacy, by: .share)
        // Where the stage decides, the projection's rule gives null, and its default counts.
        reason = decision.part == .stage && outcome.errorCode == nil ? .default : outcome.reason
        errorCode = outcome.errorCode
    }
}

extension FlagDecision {
    /// What the variants of each route's `decisionProjection` mean.
    fileprivate static let byVariant = RouteDecision.all.map { FlagDecision($0.renderer, by: Part($0.source)) }
}

extension FlagDecision.Part {
    fileprivate init(_ source: DecisionSource) {
        switch source {
        case .stage: self = .stage
        case .cohort: self = .cohort
        case .share: self = .share
        case .holdout: self = .holdout
        }
    }
}
