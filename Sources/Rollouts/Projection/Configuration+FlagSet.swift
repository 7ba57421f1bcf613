import FlagEvaluation

/// What a `FlagSet` is compiled from.
package struct FlagSetInputs: Hashable, Sendable {
    /// Ordinary flags and projected routes, by key.
    package let definitions: [String: JSONObject]
    /// The `$evaluators`, by key.
    package let cohorts: [String: JSONValue]
}

extension Configuration {
    /// All that is evaluated at this revision: flags and routes, with the cohorts that they name.
    package func flagSetInputs() -> FlagSetInputs {
        FlagSetInputs(
            definitions: flags.mapValues(\.definition).merging(rendererFlags()) { _, route in route },
            cohorts: cohorts.mapValues(\.rule))
    }

    /// All routes as flags, by route key.
    package func rendererFlags() -> [String: JSONObject] {
        var projected: [String: JSONObject] = [:]
        for route in routes.values {
            guard let flow = flows[route.flow] else { continue }
            projected[route.key] = route.projection(in: flow)
        }
        return projected
    }
}

extension Configuration {
    /// All that is evaluated at this revision, compiled: flags and routes, with the cohorts that they name.
    package func flagSet() -> FlagSet { compiled(flagSetInputs().definitions) }

    /// For each route whose ladder decides now, a flag that says which branch of it did: a `DecisionSource`.
    ///
    /// A route that is not in it is decided by its stage or status.
    package func sourceFlagSet() -> FlagSet { compiled(routes.compactMapValues { $0.sourceProjection() }) }

    private func compiled(_ definitions: [String: JSONObject]) -> FlagSet {
        let names = Set(cohorts.keys)
        return FlagSet(
            flags: definitions.map { FlagDefinition(key: $0.key, stored: $0.value, cohorts: names) },
            evaluators: evaluators)
    }
}
