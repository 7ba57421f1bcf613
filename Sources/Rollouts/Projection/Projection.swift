import FlagEvaluation
import RouteContract

/// What decided a route's renderer.
package enum DecisionSource: String, CaseIterable, Sendable {
    /// The stage or the status alone, or a context without a targeting key.
    case stage
    /// A step of the ladder for a cohort that the unit is in.
    case cohort
    /// A step of the ladder for everybody: the unit's bucket is below or above its share.
    case share
    /// The unit is kept on legacy as long-term control.
    case holdout
}

/// What a route's flag decides, and which part of it does.
package struct RouteDecision: Hashable, Sendable {
    package let renderer: Renderer
    package let source: DecisionSource

    init(_ renderer: Renderer, by source: DecisionSource) {
        self.renderer = renderer
        self.source = source
    }

    /// `migrated by cohort`
    var name: String { "\(renderer.rawValue) by \(source.rawValue)" }

    /// In the order of the variants of `decisionProjection`.
    package static let all = Renderer.allCases.flatMap { renderer in
        DecisionSource.allCases.map { RouteDecision(renderer, by: $0) }
    }
}

extension RouteRollout {
    /// The route as an ordinary flag in flagd's format: variants `legacy` and `migrated`.
    ///
    /// `overrides` are the route's. One that has ended is ignored by the rule itself, which asks for the time. `builds`
    /// are those that are registered; only a scoped rollback of versions asks for them.
    package func projection(
        in flow: Flow, overrides: [Override] = [], builds: some Sequence<Build> = [Build]()
    ) -> JSONObject {
        let isMigrated = stage > .partialRollout && (status == .active || status == .held)
        var flag: JSONObject = [
            "state": "ENABLED",
            "variants": ["legacy": "legacy", "migrated": "migrated"],
            "defaultVariant": .string((isMigrated ? Renderer.migrated : .legacy).rawValue),
        ]
        var branches = obeysOverrides ? Self.branches(for: overrides) : []
        if let rehearsal = rehearsalInForce { branches += [rehearsal.rule, .string(Renderer.migrated.rawValue)] }
        if keepsHoldout { branches += [isInHoldout(of: flow), .string(Renderer.legacy.rawValue)] }
        let exposure = ladder
        if let exposure {
            branches += self.branches(of: exposure) { share, _ in split(share, in: flow, "migrated", "legacy") }
        }
        let isAssignable = status == .active || status == .held
        let excluded =
            isAssignable
            ? exclusionBranches(among: builds) { _ in .string(Renderer.legacy.rawValue) } : []
        if !branches.isEmpty || exposure != nil || !excluded.isEmpty {
            // Before the guard: who has no key may get migrated by default, but not while it is excluded.
            flag["targeting"] = Self.rule(of: branches, keyless: nil, after: excluded)
        }
        flag["metadata"] = [
            "flow": .string(self.flow), "route": .string(key), "stage": .string(stage.rawValue),
            "status": .string(status.rawValue), "step": .integer(Int64(step)),
        ]
        return flag
    }

    /// A flag whose variants are the names of `RouteDecision`; nil when the stage or the status alone decides.
    ///
    /// Its branches are those of the projection but for overrides and scoped rollbacks, which come before the flag, so one
    /// evaluation says both what the projection gives in the same context and which part of it does.
    package func decisionProjection(in flow: Flow) -> JSONObject? {
        func name(_ renderer: Renderer, _ source: DecisionSource) -> String { RouteDecision(renderer, by: source).name }
        let byStage = name(stage > .partialRollout ? .migrated : .legacy, .stage)
        var branches: [JSONValue] = []
        if let rehearsal = rehearsalInForce { branches += [rehearsal.rule, .string(name(.migrated, .cohort))] }
        if keepsHoldout { branches += [isInHoldout(of: flow), .string(name(.legacy, .holdout))] }
        let exposure = ladder
        if let exposure {
            branches += self.branches(of: exposure) { share, source in
                split(share, in: flow, name(.migrated, source), name(.legacy, source))
            }
        }
        guard !branches.isEmpty || exposure != nil else { return nil }
        let names = RouteDecision.all.map { ($0.name, JSONValue.string($0.name)) }
        return [
            "state": "ENABLED", "variants": .object(JSONObject(names)),
            // In no cohort, and no share for everybody: the bucket is above a share of nothing.
            "defaultVariant": .string(exposure == nil ? byStage : name(.legacy, .share)),
            "targeting": Self.rule(of: branches, keyless: .string(byStage)),
        ]
    }

    /// Whether the plan's holdout decides now.
    var keepsHoldout: Bool { decidesByPlan && plan?.holdout ?? 0 > 0 }

    /// Whether some units get migrated and a holdout would be kept from it.
    var decidesByPlan: Bool {
        guard status == .active || status == .held else { return false }
        return stage == .defaultNew || ladder != nil
    }

    /// Who gets migrated by the ladder; nil when the stage or the status decides for all.
    var ladder: Exposure? {
        guard stage == .partialRollout, status == .active || status == .held, let plan, step > 0 else { return nil }
        return plan.exposure(atStep: step)
    }

    /// The first branch that holds decides, and what is left when none does.
    ///
    /// The guard comes first: without it all contexts without a targeting key would be one unit.
    private static func rule(
        of branches: [JSONValue], keyless: JSONValue, after first: [JSONValue] = []
    ) -> JSONValue {
        ["if": .array(first + [["!": ["var": "targetingKey"]], keyless] + branches)]
    }

    /// One branch for all overrides that end at one time and name one renderer.
    private static func branches(for overrides: [Override]) -> [JSONValue] {
        struct Group: Hashable {
            let expiresAt: Int64
            let renderer: Renderer
        }
        let groups = Dictionary(grouping: overrides) { Group(expiresAt: $0.expiresAt, renderer: $0.renderer) }
        return groups.sorted {
            ($0.key.expiresAt, $0.key.renderer.rawValue) < ($1.key.expiresAt, $1.key.renderer.rawValue)
        }
        .flatMap { group, overrides -> [JSONValue] in
            let holds: JSONValue = ["<": [["var": "$flagd.timestamp"], .integer(group.expiresAt / 1_000)]]
            let units = JSONValue.strings(overrides.map(\.id.unit).sorted())
            return [
                ["and": [holds, ["in": [["var": "targetingKey"], units]]]], .string(group.renderer.rawValue),
            ]
        }
    }

    /// The first cohort that the unit is in decides, and the share of everybody for all others.
    private func branches(
        of exposure: Exposure, _ result: (Int, DecisionSource) -> JSONValue
    ) -> [JSONValue] {
        var branches: [JSONValue] = []
        for (cohort, share) in exposure.branches {
            branches += [["$ref": .string(cohort)], result(share, .cohort)]
        }
        if exposure.everybody > 0 { branches.append(result(exposure.everybody, .share)) }
        return branches
    }

    /// Migrated stands first and the total never changes, so a larger share only adds units.
    private func split(_ share: Int, in flow: Flow, _ migrated: String, _ legacy: String) -> JSONValue {
        Self.split(share, of: [.string(flow.id), "/"], migrated, legacy)
    }

    /// Salted apart: whoever is held out is not first, nor last, on the ladder.
    private func isInHoldout(of flow: Flow) -> JSONValue {
        let split = Self.split(plan?.holdout ?? 0, of: [.string(flow.id), "/holdout/"], "in", "out")
        return ["==": [split, "in"]]
    }

    private static func split(_ share: Int, of salt: [JSONValue], _ first: String, _ rest: String) -> JSONValue {
        let share = min(max(share, 0), RolloutPlan.wholeShare)
        return [
            "fractional": [
                ["cat": .array(salt + [["var": "targetingKey"]])],
                [.string(first), .integer(Int64(share))],
                [.string(rest), .integer(Int64(RolloutPlan.wholeShare - share))],
            ]
        ]
    }
}
