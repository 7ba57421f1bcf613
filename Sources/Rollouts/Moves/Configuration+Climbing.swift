import FlagEvaluation
import RouteContract

extension Actor {
    /// The service itself, where it climbs an automatic ladder. No lock of the rules holds it up.
    package static let engine = Actor(name: "engine", role: .admin, keyID: "engine")
}

extension Configuration {
    /// The step that an automatic ladder may go to now; nil when it stays.
    ///
    /// Normally that is the next step. After an outage it is the one that hold times alone would have led to: steps that are
    /// overdue are folded, each with its gates, but never past one that asks for an approval, or is monitored, or wants
    /// units, because nobody was at a step that was folded. `lastLook` is when the ladder was last looked at: it stood
    /// here then, so nothing later can have begun earlier. What is unknown at a monitored step keeps it there.
    package func dueStep(of route: RouteRollout, facts: Facts = Facts(), lastLook: Int64, at now: Int64) -> Int? {
        due(route, facts: facts, lastLook: lastLook, at: now)?.step
    }

    /// The same with the gates on the way that were waived.
    private func due(
        _ route: RouteRollout, facts: Facts, lastLook: Int64, at now: Int64
    ) -> (step: Int, waived: Set<String>)? {
        guard let plan = route.plan, plan.advance == .automatic, route.stage == .partialRollout,
            route.status == .active, route.stop == nil, route.step >= 1
        else { return nil }
        var (candidate, facts, due, waived) = (route, facts, Int?.none, Set<String>())
        while case .step(let next)? = candidate.nextMove, let current = plan.step(candidate.step),
            let step = plan.step(next)
        {
            let gates = gates(of: candidate, toward: .step(next), facts: facts, at: now)
            guard gates.allSatisfy({ current.isMonitored ? $0.isPassed : !$0.isFailing }) else { break }
            due = next
            waived.formUnion(gates.filter { $0.waiver != nil }.map(\.name))
            if step.needsApproval || step.isMonitored { break }
            candidate.stepSince = max(candidate.holdEnd ?? candidate.stepSince, lastLook)
            candidate.step = next
            facts.units?[route.key] = nil
        }
        return due.map { ($0, waived) }
    }

    /// Takes an automatic ladder to where it may go; nil when it stays.
    func climbing(_ key: String, facts: Facts, lastLook: Int64, at now: Int64) throws(RolloutError) -> Change? {
        let before = try route(key)
        guard let (step, waived) = due(before, facts: facts, lastLook: lastLook, at: now) else { return nil }
        var after = before
        while after.step < step { try after.apply(.advance(isForced: false), because: "due", at: now) }
        after.stepRevision = revision.addingReportingOverflow(1).partialValue
        var noted = after.json
        let folded = (before.step + 1..<step).map { JSONValue.integer(Int64($0)) }
        if !folded.isEmpty { noted["folded"] = .array(folded) }
        if !waived.isEmpty { noted["waivedGates"] = [key: .strings(waived.sorted())] }
        return Change("route.advance", "route/\(key)", before: before.json, after: noted, row: .route(after))
    }
}

extension GateResult {
    /// Whether nothing is left open.
    var isPassed: Bool { verdict == .pass || waiver != nil }
}
