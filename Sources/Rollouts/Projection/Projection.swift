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
}

extension RouteRollout {
    /// The route as an ordinary flag in flagd's format: variants `legacy` and `migrated`.
    package func projection(in flow: Flow) -> JSONObject {
        let isMigrated = stage > .partialRollout && (status == .active || status == .held)
        var flag: JSONObject = [
            "state": "ENABLED",
            "variants": ["legacy": "legacy", "migrated": "migrated"],
            "defaultVariant": .string((isMigrated ? Renderer.migrated : .legacy).rawValue),
        ]
        if let exposure = ladder {
            flag["targeting"] = rule(of: exposure, keyless: nil) { share, _ in split(share, in: flow) }
        }
        flag["metadata"] = [
            "flow": .string(self.flow), "route": .string(key), "stage": .string(stage.rawValue),
            "status": .string(status.rawValue), "step": .integer(Int64(step)),
        ]
        return flag
    }

    /// A flag whose variants are the names of `DecisionSource`; nil when the stage or the status alone decides.
    ///
    /// Its branches are those of the projection, so evaluating it in the same context says which of them decided.
    package func sourceProjection() -> JSONObject? {
        guard let exposure = ladder else { return nil }
        let names = DecisionSource.allCases.map { ($0.rawValue, JSONValue.string($0.rawValue)) }
        let targeting = rule(of: exposure, keyless: .string(DecisionSource.stage.rawValue)) { _, source in
            .string(source.rawValue)
        }
        return [
            "state": "ENABLED", "variants": .object(JSONObject(names)),
            // In no cohort, and no share for everybody: the bucket is above a share of nothing.
            "defaultVariant": .string(DecisionSource.share.rawValue), "targeting": targeting,
        ]
    }

    /// Who gets migrated by the ladder; nil when the stage or the status decides for all.
    private var ladder: Exposure? {
        guard stage == .partialRollout, status == .active || status == .held, let plan, step > 0 else { return nil }
        return plan.exposure(atStep: step)
    }

    /// The first branch whose cohort the unit is in decides, and the last one for all others.
    ///
    /// The guard comes first: without it all contexts without a targeting key would be one unit.
    private func rule(
        of exposure: Exposure, keyless: JSONValue, _ result: (Int, DecisionSource) -> JSONValue
    ) -> JSONValue {
        var branches: [JSONValue] = [["!": ["var": "targetingKey"]], keyless]
        for (cohort, share) in exposure.branches {
            branches += [["$ref": .string(cohort)], result(share, .cohort)]
        }
        if exposure.everybody > 0 { branches.append(result(exposure.everybody, .share)) }
        return ["if": .array(branches)]
    }

    /// Migrated stands first and the total never changes, so a larger share only adds units.
    private func split(_ share: Int, in flow: Flow) -> JSONValue {
        [
            "fractional": [
                ["cat": [.string(flow.id), "/", ["var": "targetingKey"]]],
                ["migrated", .integer(Int64(share))],
                ["legacy", .integer(Int64(RolloutPlan.wholeShare - share))],
            ]
        ]
    }
}
