import RouteContract

extension Configuration {
    /// What must hold for a route to make a move, with what would make each gate pass.
    ///
    /// Evidence that is missing fails its gate. Without a count of the journeys in flight nobody can say that legacy may be
    /// deleted. A waiver that holds passes its gate by.
    package func gates(
        of route: RouteRollout, toward move: NextMove, facts: Facts = Facts(), at now: Int64
    ) -> [GateResult] {
        let gates =
            switch move {
            case .stage(.notStarted): [GateResult]()
            case .stage(.compatible): gatesToCompatible(of: route, facts: facts, at: now)
            case .stage(.partialRollout): gatesToPartialRollout(of: route, facts: facts, at: now)
            case .step(let step): gatesToStep(step, of: route, facts: facts, at: now)
            case .stage(.defaultNew): gatesToDefaultNew(of: route, facts: facts, at: now)
            case .stage(.oldDisabled): gatesToOldDisabled(of: route, facts: facts, at: now)
            case .stage(.oldDeleted): gatesToOldDeleted(of: route, facts: facts, at: now)
            }
        return gates.map { $0.waived(by: waiver(for: $0.name, of: route.key, toward: move.name, at: now)) }
    }

    private func gatesToCompatible(of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        let capable = builds.values.contains { $0.renderers[route.key] == [.legacy, .migrated] }
        return [
            .gate("owner", fails: route.owner == nil ? "nobody owns the route" : nil, remedy: "Set the route's owner."),
            .gate(
                "purpose", fails: route.reason == nil ? "nothing says why the route is moved" : nil,
                remedy: "Set the route's purpose."),
            .gate(
                "contract", fails: route.contract == nil ? "no contract is registered" : nil,
                remedy: "Register the contract: payload schema and outcomes."),
            censusGate(of: route, facts: facts, at: now),
            .gate(
                "bothRenderers", isHard: true, fails: capable ? nil : "no registered build has both renderers",
                remedy: "Register a build whose manifest has legacy and migrated for \(route.key)."),
        ] + orderGates(of: route, entering: .compatible)
    }

    private func gatesToPartialRollout(of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        [
            .gate(
                "plan", fails: route.plan == nil ? "there is no plan" : nil, remedy: "Set the plan: the ladder's steps."
            ),
            .gate(
                "deletion", fails: route.deletion == nil ? "no deletion date and owner" : nil,
                remedy: "Say when the legacy entry is to be deleted, and who does it."),
            parityGate(of: route, facts: facts, at: now),
            frozenConditionsGate(of: route),
            rehearsalGate(of: route, facts: facts, at: now),
        ] + orderGates(of: route, entering: .partialRollout) + approvalToEnterLadder(of: route)
    }

    private func gatesToDefaultNew(of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        let last = route.plan?.steps.count ?? 0
        let missing =
            switch (last, route.step) {
            case (0, _): "there is no plan, so no step was done"
            case (_, last...): String?.none
            default: "step \(route.step) of \(last)"
            }
        return [
            .gate("lastStep", fails: missing, remedy: "Advance to the last step of the plan."),
            .gate(
                "status", fails: route.status == .active ? nil : "the route is \(route.status.rawValue)",
                remedy: "Resume the route."),
            judgedConditionsGate(of: route),
            .unknown("sampleRatio", "no unit is counted"),
            performanceGate(of: route, facts: facts, at: now),
            auditGate(of: route, facts: facts, at: now),
        ] + orderGates(of: route, entering: .defaultNew)
    }
}

extension GateResult {
    static func gate(
        _ name: String, isHard: Bool = false, fails reason: String?, remedy: String
    ) -> GateResult {
        GateResult(name: name, isHard: isHard, verdict: reason.map { .fail($0) } ?? .pass, remedy: remedy)
    }

    static func unknown(_ name: String, _ reason: String) -> GateResult {
        GateResult(
            name: name, isHard: false, verdict: .unknown(reason), remedy: "Not measured yet; it does not block.")
    }
}
