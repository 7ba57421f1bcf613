import FlagEvaluation
import RouteContract

extension Configuration {
    /// Notes an approver's word for exactly the next step; nil when that step is approved already.
    func approving(_ route: RouteRollout, by actor: Actor, at now: Int64) throws(RolloutError) -> RouteRollout {
        guard actor.role == .approver || actor.role == .admin else {
            throw RolloutError(
                .notAllowed, "Only the roles approver and admin may approve a step, not \(actor.role.rawValue).")
        }
        guard let step = route.stepToApprove else { throw route.illegalMove(.approve) }
        var route = route
        if !isApproved(step, of: route) {
            route.approval = StepApproval(
                step: step, by: actor.name, at: now, hash: hashToApprove(step, of: route))
        }
        return route
    }

    /// The verbs that would change the route now, gates aside: also `approve` where the approval that stands has lapsed.
    package func legalVerbs(of route: RouteRollout) -> [String] {
        let verbs = route.legalVerbs
        guard let step = route.stepToApprove, !verbs.contains(Verb.approve.name), !isApproved(step, of: route) else {
            return verbs
        }
        return verbs + [Verb.approve.name]
    }

    /// Whether the next step asks for an approval that is not there, or has lapsed.
    func waitsForApproval(_ route: RouteRollout) -> Bool {
        route.stepToApprove.map { !isApproved($0, of: route) } ?? false
    }

    /// The approval that the first step asks for, where it does.
    func approvalToEnterLadder(of route: RouteRollout) -> [GateResult] {
        route.plan?.step(1)?.needsApproval ?? false ? [approval(of: route, toEnter: 1)] : []
    }

    /// The gate of the approval that a step may ask for.
    func approval(of route: RouteRollout, toEnter step: Int) -> GateResult {
        let isNeeded = route.plan?.step(step)?.needsApproval ?? false
        return .gate(
            "approval", fails: isNeeded ? missingApproval(of: step, of: route) : nil,
            remedy: "Let an approver say: signalbox route approve \(route.key).")
    }

    private func isApproved(_ step: Int, of route: RouteRollout) -> Bool { missingApproval(of: step, of: route) == nil }

    /// Why a step is not approved; nil when it is.
    private func missingApproval(of step: Int, of route: RouteRollout) -> String? {
        guard let approval = route.approval, approval.step == step else { return "step \(step) asks for an approval" }
        guard let hash = approval.hash else { return "the approval of step \(step) does not say of which cohort" }
        guard hash != hashToApprove(step, of: route) else { return nil }
        return "the cohort of step \(step), or one that it names, has changed since \(approval.by) approved it"
    }

    /// What an approval is for: SHA-256 of the step and of the rules that say whom it adds. Until the step decides anybody
    /// may change these.
    private func hashToApprove(_ step: Int, of route: RouteRollout) -> String {
        let step = route.plan?.step(step)
        var rules = JSONObject()
        var pending = [step?.cohort].compactMap(\.self)
        var seen: Set<String> = []
        while let next = pending.popLast() {
            guard seen.insert(next).inserted else { continue }
            rules[next] = cohorts[next]?.rule ?? .null
            pending += cohorts[next]?.rule.cohortReferences ?? []
        }
        let approved: JSONValue = ["step": .members(step?.json), "cohorts": .object(rules)]
        return ContentHash.of(approved.canonicalJSON)
    }
}

extension RouteRollout {
    /// The next step, where it asks for an approval.
    var stepToApprove: Int? {
        guard status == .active else { return nil }
        let next: Int? =
            switch nextMove {
            case .step(let step): step
            case .stage(.partialRollout): 1
            default: nil
            }
        return next.flatMap { plan?.step($0)?.needsApproval ?? false ? $0 : nil }
    }
}
