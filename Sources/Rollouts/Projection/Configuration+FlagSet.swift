import FlagEvaluation

extension Configuration {
    /// All routes as flags, by route key.
    package func rendererFlags() -> [String: JSONObject] {
        let overridden = Dictionary(grouping: overrides.values) { $0.id.route }
        var projected: [String: JSONObject] = [:]
        for route in routes.values {
            guard let flow = flows[route.flow] else { continue }
            projected[route.key] = route.projection(
                in: flow, overrides: overridden[route.key] ?? [], builds: builds.values)
        }
        return projected
    }
}

/// The flag sets of a revision, from which those of the next are made.
package struct CompiledConfiguration: Sendable {
    package let configuration: Configuration
    /// All that is evaluated: flags and routes, with the cohorts that they name.
    package let flags: FlagSet
    /// For each route whose ladder or holdout decides now, a flag that says what, and which part of it: a `RouteDecision`.
    ///
    /// A route that is not in it is decided by its stage or status.
    package let decisions: FlagSet
    /// For each route with scoped rollbacks, a flag that says which of them holds: its id, or `none`.
    package let exclusions: FlagSet

    /// Compiles a configuration; of one that follows another only what has changed.
    package init(_ configuration: Configuration, after previous: CompiledConfiguration? = nil) {
        self.configuration = configuration
        let earlier = previous?.configuration
        let overrides = Dictionary(grouping: configuration.overrides.values) { $0.id.route }
        let kept = configuration.keysKept(of: earlier)
        var flags: [FlagDefinition] = []
        var decisions: [FlagDefinition] = []
        var exclusions: [FlagDefinition] = []
        flags.reserveCapacity(configuration.flags.count + configuration.routes.count)
        // What has not changed comes first, in the order of the keys that it had.
        if let previous {
            flags += previous.flags.definitions.filter { kept.contains($0.key) }
            decisions += previous.decisions.definitions.filter {
                kept.contains($0.key)
            }
            exclusions += previous.exclusions.definitions
                .filter { kept.contains($0.key) }
        }
        let names = Set(configuration.cohorts.keys)
        for (key, flag) in configuration.flags
        where configuration.routes[key] == nil && !kept.contains(key) {
            flags.append(
                FlagDefinition(key: key, stored: flag.definition, cohorts: names, bucketing: flag.bucketing))
        }
        for (key, route) in configuration.routes where !kept.contains(key) {
            guard let flow = configuration.flows[route.flow] else { continue }
            flags.append(
                FlagDefinition(
                    key: key,
                    stored: route.projection(
                        in: flow, overrides: overrides[key] ?? [], builds: configuration.builds.values),
                    cohorts: names))
            if let decision = route.decisionProjection(in: flow) {
                decisions.append(FlagDefinition(key: key, stored: decision, cohorts: names))
            }
            if let excluded = route.exclusionProjection(among: configuration.builds.values) {
                exclusions.append(FlagDefinition(key: key, stored: excluded, cohorts: names))
            }
        }
        let (evaluators, metadata) = (configuration.evaluators, configuration.settings.metadata)
        if let previous {
            self.flags = FlagSet(updating: previous.flags, flags: flags, evaluators: evaluators, metadata: metadata)
            self.decisions = FlagSet(updating: previous.decisions, flags: decisions, evaluators: evaluators)
            self.exclusions = FlagSet(updating: previous.exclusions, flags: exclusions, evaluators: evaluators)
        } else {
            self.flags = FlagSet(flags: flags, evaluators: evaluators, metadata: metadata)
            self.decisions = FlagSet(flags: decisions, evaluators: evaluators)
            self.exclusions = FlagSet(flags: exclusions, evaluators: evaluators)
        }
    }
}

extension Configuration {
    /// The flags and routes that are evaluated as they were then: all that their definitions are made of is the same.
    fileprivate func keysKept(of earlier: Configuration?) -> Set<String> {
        guard let earlier else { return [] }
        let overridden = routesOverridden(otherwiseThan: earlier)
        let hasSameBuilds = earlier.builds == builds
        var kept: Set<String> = []
        for (key, route) in routes
        where earlier.routes[key] == route && earlier.flows[route.flow] == flows[route.flow]
            && !overridden.contains(key) && (!route.namesVersions || hasSameBuilds)
        {
            kept.insert(key)
        }
        for (key, flag) in flags where routes[key] == nil && earlier.flags[key] == flag { kept.insert(key) }
        return kept
    }

    /// The routes some override of which is new, changed or gone.
    fileprivate func routesOverridden(otherwiseThan earlier: Configuration?) -> Set<String> {
        let before = earlier?.overrides ?? [:]
        let changed = overrides.filter { before[$0.key] != $0.value }.keys
        let gone = before.keys.filter { overrides[$0] == nil }
        return Set((changed + gone).map(\.route))
    }
}
