import RouteContract

extension Configuration {
    /// Versions that must have been released while a route was migrated by default, before legacy is disabled.
    package static let releasesBeforeDisabling = 2

    /// What must hold for a route to make a move, with what would make each gate pass.
    ///
    /// Gates on evidence, stop conditions and measurements are `unknown`: nothing stored can decide them yet.
    /// Without a count of the journeys in flight nobody can say that legacy may be deleted.
    package func gates(
        of route: RouteRollout, toward move: NextMove, facts: Facts = Facts(), at now: Int64
    ) -> [GateResult] {
        switch move {
        case .stage(.notStarted): []
        case .stage(.compatible): gatesToCompatible(of: route)
        case .stage(.partialRollout): gatesToPartialRollout(of: route)
        case .step: gatesToNextStep
        case .stage(.defaultNew): gatesToDefaultNew(of: route)
        case .stage(.oldDisabled): gatesToOldDisabled(of: route, at: now)
        case .stage(.oldDeleted): gatesToOldDeleted(of: route, facts: facts)
        }
    }

    private func gatesToCompatible(of route: RouteRollout) -> [GateResult] {
        let capable = builds.values.contains { $0.renderers[route.key] == [.legacy, .migrated] }
        let waiting = route.requires.filter { routes[$0].map { $0.stage < .compatible } ?? true }
        return [
            .gate("owner", fails: route.owner == nil ? "nobody owns the route" : nil, remedy: "Set the route's owner."),
            .gate(
                "purpose", fails: route.reason == nil ? "nothing says why the route is moved" : nil,
                remedy: "Set the route's purpose."),
            .gate(
                "contract", fails: route.contract == nil ? "no contract is registered" : nil,
                remedy: "Register the contract: payload schema and outcomes."),
            .gate(
                "entryPoints", fails: route.entryPoints.isEmpty ? "no entry point is listed" : nil,
                remedy: "List every deep link, notification, restoration and in-app caller."),
            .gate(
                "bothRenderers", isHard: true, fails: capable ? nil : "no registered build has both renderers",
                remedy: "Register a build whose manifest has legacy and migrated for \(route.key)."),
            .gate(
                "requires",
                fails: waiting.isEmpty ? nil : "not yet compatible: " + waiting.sorted().joined(separator: ", "),
                remedy: "Advance the routes that this one requires to compatible first."),
        ]
    }

    private func gatesToPartialRollout(of route: RouteRollout) -> [GateResult] {
        [
            .gate(
                "plan", fails: route.plan == nil ? "there is no plan" : nil, remedy: "Set the plan: the ladder's steps."
            ),
            .gate(
                "deletion", fails: route.deletion == nil ? "no deletion date and owner" : nil,
                remedy: "Say when the legacy entry is to be deleted, and who does it."),
            .unknown("parity", "no evidence is stored"),
            .unknown("stopConditions", isHard: true, "no stop condition is stored"),
            .unknown("rehearsal", "no rehearsal is stored"),
        ]
    }

    private func gatesToDefaultNew(of route: RouteRollout) -> [GateResult] {
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
            .unknown("stopConditions", "no stop condition is stored"),
            .unknown("sampleRatio", "no unit is counted"),
            .unknown("performance", "no evidence is stored"),
        ]
    }
}

extension GateResult {
    static func gate(
        _ name: String, isHard: Bool = false, fails reason: String?, remedy: String
    ) -> GateResult {
        GateResult(name: name, isHard: isHard, verdict: reason.map { .fail($0) } ?? .pass, remedy: remedy)
    }

    static func unknown(
        _ name: String, isHard: Bool = false, _ reason: String
    ) -> GateResult {
        GateResult(
            name: name, isHard: isHard, verdict: .unknown(reason), remedy: "Not measured yet; it does not block.")
    }
}
