import RouteContract

extension Configuration {
    /// The gates on other routes: those that must have come as far, and those that must not be in rollout too.
    func orderGates(of route: RouteRollout, entering stage: Stage) -> [GateResult] {
        let requires = GateResult.gate(
            "requires", fails: waiting(for: route, entering: stage)?.text,
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

    /// Which required routes are behind, or give only legacy although they are to give migrated; nil when none is.
    func waiting(for route: RouteRollout, entering stage: Stage) -> RequiredRoutes? {
        var found = RequiredRoutes(stage: stage)
        for key in route.requires.sorted() {
            guard let required = routes[key], required.stage >= stage else {
                found.behind.append(key)
                continue
            }
            if stage > .compatible, required.status == .rolledBack || required.status == .island {
                found.stopped.append((key, required.status))
            }
        }
        return found.count == 0 ? nil : found
    }

    /// The routes in rollout that this one excludes, or that exclude it.
    private func inRollout(excludedBy route: RouteRollout) -> [String] {
        routes.values.filter { other in
            other.key != route.key && other.isInRollout
                && (route.excludes.contains(other.key) || other.excludes.contains(route.key))
        }.map(\.key).sorted()
    }
}

/// Required routes that keep another from entering a stage, in the order of their keys.
struct RequiredRoutes {
    let stage: Stage
    /// Those that have not reached it.
    var behind: [String] = []
    /// Those that give only legacy, and why.
    var stopped: [(key: String, status: RouteStatus)] = []

    var count: Int { behind.count + stopped.count }

    /// One of them, with what is the matter: `not yet defaultNew`, `rolled back`.
    var first: (key: String, why: String)? {
        behind.first.map { ($0, notYet) } ?? stopped.first.map { ($0.key, Self.word(for: $0.status)) }
    }

    /// `not yet defaultNew: trips.edit; gives legacy: trips.list (rolled back)`
    var text: String {
        let stopped = stopped.map { "\($0.key) (\(Self.word(for: $0.status)))" }
        return [
            behind.isEmpty ? nil : "\(notYet): " + behind.joined(separator: ", "),
            stopped.isEmpty ? nil : "gives legacy: " + stopped.joined(separator: ", "),
        ].compactMap(\.self).joined(separator: "; ")
    }

    private var notYet: String { "not yet \(stage.rawValue)" }

    private static func word(for status: RouteStatus) -> String { status == .island ? "an island" : "rolled back" }
}

extension RouteRollout {
    /// Whether the ladder gives migrated to some.
    var isInRollout: Bool { stage == .partialRollout && isExposed }

    /// Whether some are given migrated by the stage.
    var isExposed: Bool { stage >= .partialRollout && (status == .active || status == .held) }
}
