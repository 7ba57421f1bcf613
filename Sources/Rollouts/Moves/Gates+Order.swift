import RouteContract

extension Configuration {
    /// The gates on other routes: those that must have come as far, and those that must not be in rollout too.
    func orderGates(of route: RouteRollout, entering stage: Stage) -> [GateResult] {
        let requires = GateResult.gate(
            "requires", fails: waiting(for: route, entering: stage),
            remedy: "Advance the routes that this one requires to \(stage.rawValue) first, or require them no more.")
        guard stage == .partialRollout else { return [requires] }
        let others = inRollout(excludedBy: route)
        return [
            requires,
            .gate(
                "excludes", fails: others.isEmpty ? nil : "in rollout now: " + others.joined(separator: ", "),
                remedy: "Wait until these are migrated by default, or roll them back."),
        ]
    }

    /// Which required routes are behind, or give only legacy although they are to give migrated.
    private func waiting(for route: RouteRollout, entering stage: Stage) -> String? {
        var (behind, stopped): ([String], [String]) = ([], [])
        for key in route.requires.sorted() {
            guard let required = routes[key], required.stage >= stage else {
                behind.append(key)
                continue
            }
            if stage > .compatible, required.status == .rolledBack || required.status == .island {
                stopped.append("\(key) (\(required.status == .island ? "an island" : "rolled back"))")
            }
        }
        let parts = [
            behind.isEmpty ? nil : "not yet \(stage.rawValue): " + behind.joined(separator: ", "),
            stopped.isEmpty ? nil : "gives legacy: " + stopped.joined(separator: ", "),
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// The routes in rollout that this one excludes, or that exclude it.
    private func inRollout(excludedBy route: RouteRollout) -> [String] {
        routes.values.filter { other in
            other.key != route.key && other.isInRollout
                && (route.excludes.contains(other.key) || other.excludes.contains(route.key))
        }.map(\.key).sorted()
    }
}

extension RouteRollout {
    /// Whether the ladder gives migrated to some.
    var isInRollout: Bool { stage == .partialRollout && isExposed }

    /// Whether some are given migrated by the stage.
    var isExposed: Bool { stage >= .partialRollout && (status == .active || status == .held) }
}
