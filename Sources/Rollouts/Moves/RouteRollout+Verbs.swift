import FlagEvaluation
import RouteContract

extension RouteRollout {
    /// Where `advance` leads an active route: the next step inside the ladder, else the next stage; nil at the end.
    package var nextMove: NextMove? {
        if stage == .partialRollout, step < lastStep { return .step(step + 1) }
        return stage.next.map { .stage($0) }
    }

    /// The names of the verbs that would change the route now, gates aside and as if no approval had lapsed.
    package var legalVerbs: [String] {
        let verbs: [Verb] = [
            .advance(isForced: false), .retreat, .hold, .resume(cause: "named", step: nil), .rollback,
            .island(owner: "named", reviewDate: "9999-12-31"), .approve,
        ]
        return verbs.filter { verb in
            if verb == .approve { return stepToApprove.map { $0 != approval?.step } ?? false }
            guard let after = try? moved(by: verb, because: "asked", at: stepSince) else { return false }
            return after != self
        }.map(\.name)
    }

    /// Moves the route, or leaves it as it is when it already is where the verb leads. Gates are the caller's business.
    ///
    /// Fails with `illegal_move` and the verbs that are legal now, `cause_required` for a resume after a rollback
    /// without a cause, `step_not_healthy` for a resume at a step that was not passed, `invalid_field` for an island.
    package mutating func apply(_ verb: Verb, because reason: String, at now: Int64) throws(RolloutError) {
        guard var after = try moved(by: verb, because: reason, at: now) else { throw illegalMove(verb) }
        if after != self { (after.approval, after.rehearsal) = (nil, nil) }
        self = after
    }

    /// The refusal of a verb that is not legal here.
    func illegalMove(_ verb: Verb) -> RolloutError {
        RolloutError(
            .illegalMove, "\"\(key)\" is \(stage.rawValue) and \(status.rawValue): it cannot \(verb.name) now.",
            details: [
                "route": .string(key), "stage": .string(stage.rawValue), "status": .string(status.rawValue),
                "legal": .strings(legalVerbs),
            ])
    }

    /// The table of moves; nil when the verb is not legal here.
    private func moved(by verb: Verb, because reason: String, at now: Int64) throws(RolloutError) -> RouteRollout? {
        var route = self
        switch (verb, status) {
        case (.advance, .active):
            guard let move = nextMove else { return nil }
            route.highestHealthyStep = max(highestHealthyStep, step)
            switch move {
            case .step(let step): route.enter(stage, step: step, at: now)
            case .stage(let stage): route.enter(stage, step: stage == .partialRollout ? min(1, lastStep) : 0, at: now)
            }

        case (.retreat, .active):
            guard let stage = stage.previous else { return nil }
            route.enter(stage, step: stage == .partialRollout ? lastStep : 0, at: now)
            // Below the ladder everything starts over.
            if stage < .partialRollout { route.highestHealthyStep = 0 }

        case (.hold, .active) where stage == .partialRollout || stage == .defaultNew:
            route.status = .held
        case (.hold, .held):
            break

        case (.resume(let cause, _), _) where stop != nil && (cause?.isBlank ?? true):
            throw RolloutError(
                .causeRequired,
                "\"\(key)\" was stopped by \"\(stop?.condition ?? "")\": name the cause that is now gone.")
        case (.resume(_, let named), .held):
            if let named, named != step { throw stepNotHealthy(named, "it is held and goes on at step \(step)") }
            route.status = .active
            route.stop = nil
        case (.resume(let cause, let named), .rolledBack) where canBeRolledBackHere:
            guard let cause, !cause.isBlank else {
                throw RolloutError(.causeRequired, "\"\(key)\" was rolled back: name the cause that is now gone.")
            }
            let step = try resumedStep(named)
            route.enter(stage, step: step, at: now)
            route.rolledBackFrom = nil
            route.stop = nil
        case (.resume(_, let named), .island) where stage <= .partialRollout:
            if let named { throw stepNotHealthy(named, "an island goes back to compatible, below the ladder") }
            route.enter(.compatible, step: 0, at: now)
            route.island = nil
            route.rolledBackFrom = nil
            route.stop = nil
            route.highestHealthyStep = 0
        case (.resume(_, let named), .active)
        where stop != nil || (Stage.compatible...(.defaultNew)).contains(stage):
            guard named == nil || named == step else { return nil }
            route.stop = nil

        case (.rollBack(let level, nil), .rolledBack) where canBeRolledBackHere:
            // A lower level holds already, so it is a repeat: what stops more is not taken back by the way.
            route.rollbackLevel = max(rollbackLevel, level ?? .drain)
        case (.rollBack(let level, nil), _) where (Stage.compatible...(.oldDisabled)).contains(stage):
            route.enter(min(stage, .partialRollout), step: 0, at: now)
            route.status = .rolledBack
            route.rolledBackFrom = stage
            route.rollbackLevel = level ?? .drain
            route.flippedBackAt = now
            route.flipBacks = min(flipBacks, .max - 1) + 1
            route.island = nil

        case (.island(let owner, let reviewDate), .active) where stage <= .compatible,
            (.island(let owner, let reviewDate), .rolledBack) where canBeRolledBackHere:
            route.status = .island
            route.rollbackLevel = .drain
            route.island = try island(owner: owner, until: reviewDate, because: reason, at: now)
            route.rolledBackFrom = nil
        case (.island(let owner, let reviewDate), .island):
            // Said again it is a repeat; with another owner or day it is a review that was held.
            if island?.owner == owner, island?.reviewDate == reviewDate { break }
            route.island = try island(owner: owner, until: reviewDate, because: reason, at: now)

        default:
            return nil
        }
        return route
    }

    private func island(
        owner: String, until reviewDate: String, because reason: String, at now: Int64
    ) throws(RolloutError) -> Island {
        guard !owner.isBlank else { throw .invalidField("/owner", "a name") }
        guard let day = CalendarDay(reviewDate), day > CalendarDay(of: now) else {
            throw .invalidField("/reviewDate", "a date to come, YYYY-MM-DD")
        }
        return Island(owner: owner, reason: reason, reviewDate: reviewDate)
    }

    /// A rollback leaves a route in one of these two stages.
    private var canBeRolledBackHere: Bool { stage == .compatible || stage == .partialRollout }

    private var lastStep: Int { plan?.steps.count ?? 0 }

    private mutating func enter(_ stage: Stage, step: Int, at now: Int64) {
        if stage != self.stage { stageSince = now }
        forced = nil
        self.stage = stage
        self.step = step
        stepSince = now
        status = .active
        rollbackLevel = .drain
    }

    /// The step at which the ladder starts again after a rollback.
    private func resumedStep(_ named: Int?) throws(RolloutError) -> Int {
        let highest = stage == .partialRollout ? min(max(highestHealthyStep, 1), lastStep) : 0
        guard let named else { return min(1, highest) }
        guard named >= 1, named <= highest else {
            throw stepNotHealthy(
                named, highest < 1 ? "there is no step to go on at" : "steps 1 to \(highest) were passed before")
        }
        return named
    }

    private func stepNotHealthy(_ step: Int, _ why: String) -> RolloutError {
        RolloutError(
            .stepNotHealthy, "\"\(key)\" cannot go on at step \(step): \(why).",
            details: ["step": .integer(Int64(step))])
    }
}
