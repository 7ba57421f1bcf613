import FlagEvaluation
import RouteContract

extension Configuration {
    /// The gates of a step of the ladder.
    func gatesToStep(_ step: Int, of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        let current = route.plan?.step(route.step)
        return [
            heldLongEnough(route, at: now),
            minimumUnits(current, of: route, facts: facts),
            noStop(of: route),
            approval(of: route, toEnter: step), frozenConditionsGate(of: route),
        ] + orderGates(of: route, entering: .partialRollout)
    }

    private func heldLongEnough(_ route: RouteRollout, at now: Int64) -> GateResult {
        let needed = route.plan?.step(route.step)?.holdSeconds ?? 0
        guard let end = route.holdEnd, now < end else {
            return .gate("heldLongEnough", fails: nil, remedy: "Nothing is left to do.")
        }
        let held = route.stepSince.milliseconds(until: now) / 1_000
        var gate = GateResult.gate(
            "heldLongEnough", fails: "\(Self.span(seconds: held)) of \(Self.span(seconds: needed)) at this step",
            remedy: "Wait \(Self.span(seconds: (now.milliseconds(until: end) - 1) / 1_000 + 1)) more.")
        gate.passesAt = end
        return gate
    }

    private func minimumUnits(_ step: RolloutPlan.Step?, of route: RouteRollout, facts: Facts) -> GateResult {
        let needed = step?.minimumUnits ?? 0
        let counted = facts.units.map { units in
            units[route.key].map { $0.stepRevision == route.stepRevision ? $0.count : 0 } ?? 0
        }
        let fault: String? =
            switch counted {
            case _ where needed == 0: nil
            case let counted? where counted >= needed: nil
            case let counted?: "\(counted) of \(needed) units were given migrated at this step"
            case nil: "the units at this step are not counted yet"
            }
        return .gate("minimumUnits", fails: fault, remedy: "Wait until \(needed) units have met migrated at this step.")
    }

    /// What the stop conditions say; anything but allowed is no stop, and no go either.
    private func noStop(of route: RouteRollout) -> GateResult {
        let remedy = "Wait until every condition is allowed, or resume with the cause of the stop."
        if let stop = route.stop {
            return .gate("noStop", fails: "stopped by \(stop.condition)", remedy: remedy)
        }
        let conditions = conditionsInForce(of: route.key)
        let open = conditions.compactMap(\.doubt)
        if conditions.isEmpty || !open.isEmpty {
            return GateResult(
                name: "noStop", isHard: false,
                verdict: .unknown(conditions.isEmpty ? "no stop condition is frozen" : open.joined(separator: ", ")),
                remedy: remedy)
        }
        return .gate("noStop", fails: nil, remedy: remedy)
    }

    /// `36 h`, `90 s`: whole, and at most two digits where that is possible.
    package static func span(seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

extension RolloutPlan {
    /// The step of that number, counted from 1.
    func step(_ number: Int) -> Step? { steps.indices.contains(number - 1) ? steps[number - 1] : nil }
}

extension RouteRollout {
    /// When the present step has lasted as long as the plan asks, in milliseconds since 1970; nil outside the ladder, and
    /// where nothing is asked.
    var holdEnd: Int64? {
        guard stage == .partialRollout, let seconds = plan?.step(step)?.holdSeconds, seconds > 0 else { return nil }
        let length = seconds.multipliedReportingOverflow(by: 1_000)
        let end = stepSince.addingReportingOverflow(length.partialValue)
        return length.overflow || end.overflow ? .max : end.partialValue
    }
}
