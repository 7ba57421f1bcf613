import FlagEvaluation
import RouteContract

/// How a document's things are changed: each by the command that would change it alone.
struct DocumentChange {
    let document: ConfigurationDocument
    /// Whether what came since and is named by what stays does so too.
    let isRollback: Bool
    let allowsReshuffle: Bool
    let actor: Actor
    let reason: String
    let facts: Facts
    let now: Int64

    private static let mostPasses = 64

    /// Makes all things as the document says.
    ///
    /// What one refers to may come later in the document: as long as something succeeds, the rest is tried again.
    func perform(_ tasks: [DocumentTask], on configuration: inout Configuration) throws(RolloutError) {
        let isCohort = { (task: DocumentTask) in task.difference.section == .cohorts && !task.removesCohort }
        let overridden = configuration.routesOverridden(at: now)
        var cohorts = tasks.filter(isCohort)
        var tasks = tasks.filter { !isCohort($0) }
        for _ in 0..<Self.mostPasses where !tasks.isEmpty || !cohorts.isEmpty {
            var failed: [DocumentTask] = []
            var refusal: RolloutError?
            let hadCohorts = !cohorts.isEmpty
            do throws(RolloutError) {
                try take(cohorts: cohorts, into: &configuration)
                cohorts = []
            } catch {
                refusal = error
            }
            var overrides: [String: [Override]]?
            for task in tasks {
                do throws(RolloutError) {
                    try perform(task, on: &configuration, besides: overridden, knowing: &overrides)
                } catch {
                    refusal = refusal ?? error.within(document: task.path)
                    failed.append(task)
                }
            }
            let isStuck = failed.count == tasks.count && (!hadCohorts || !cohorts.isEmpty)
            if let refusal, isStuck {
                // Nothing but its being named keeps a cohort from being removed.
                if isRollback, cohorts.isEmpty, failed.allSatisfy(\.removesCohort) { return }
                throw refusal
            }
            tasks = failed
        }
        guard tasks.isEmpty, cohorts.isEmpty else {
            throw ConfigurationDocument.invalid("/", "a document whose things refer to one another less deeply")
        }
    }

    /// Makes one thing as the document says, as far as that widens nothing.
    ///
    /// `overridden` are the routes that overrides give migrated, `overrides` those of the environment by route, once they
    /// were looked for.
    private func perform(
        _ task: DocumentTask, on configuration: inout Configuration, besides overridden: Set<String>,
        knowing overrides: inout [String: [Override]]?
    ) throws(RolloutError) {
        let (section, id) = (task.difference.section, task.difference.id)
        guard let item = document.wish(section, id) else { return try remove(section, id, from: &configuration) }
        switch section {
        case .settings: try take(settings: try EnvironmentSettings(json: item), into: &configuration)
        case .cohorts: break
        case .flows:
            let flow = try Flow(json: item)
            try checkName(flow.key, id)
            configuration.take(
                configuration.flows[id] == nil
                    ? try configuration.creatingFlow(flow)
                    : try configuration.editingFlow(id, owner: flow.owner, lifetime: flow.journeyLifetimeSeconds))
        case .routes: try take(route: item, id, into: &configuration)
        case .flags:
            let flag = try StoredFlag(json: item)
            try checkName(flag.key, id)
            var definition = flag.definition
            // To disable a flag stops something at once; only its own verb takes that back.
            if configuration.flags[id]?.isDisabled ?? false { definition["state"] = "DISABLED" }
            configuration.take(
                try configuration.puttingFlag(
                    id, .object(definition), isStrict: false, bucketing: flag.bucketing,
                    allowsReshuffle: allowsReshuffle))
        case .builds:
            let build = try Build(json: item)
            try checkName(build.id.text, id)
            let isKnown = configuration.builds[build.id] != nil
            guard isKnown || !configuration.gives(migratedTo: build, besides: overridden) else { return }
            configuration.take(try configuration.puttingBuild(build))
        case .overrides:
            let override = try Override(json: item)
            try checkName(override.id.text, id)
            var known = overrides ?? Dictionary(grouping: configuration.overrides.values) { $0.id.route }
            overrides = nil
            defer { overrides = known }
            try take(override: override, into: &configuration, among: &known[override.id.route, default: []])
        case .conditions, .waivers: break
        }
    }

    func checkName(_ name: String, _ id: String) throws(RolloutError) {
        guard name == id else { throw ConfigurationDocument.invalid("\"\(id)\"", "named as its item is, \"\(name)\"") }
    }

    /// All cohorts at once: each is checked among all that there will be, so their order says nothing, and their sizes are
    /// checked once. One that decides in a ladder now would widen or narrow it: only force changes it, and not this.
    private func take(cohorts tasks: [DocumentTask], into configuration: inout Configuration) throws(RolloutError) {
        var after = configuration
        var changed: [String] = []
        let deciding = configuration.cohortsInLadders()
        for task in tasks {
            let id = task.difference.id
            guard let item = document.wish(.cohorts, id) else { continue }
            do throws(RolloutError) {
                let cohort = try Cohort(json: item)
                try checkName(cohort.key, id)
                try configuration.checkKey(id)
                guard configuration.cohorts[id] != cohort, !deciding.contains(id) else { continue }
                after.store(.cohort(cohort))
                changed.append(id)
            } catch {
                throw error.within(document: task.path)
            }
        }
        guard !changed.isEmpty else { return }
        let evaluators = after.evaluators
        let names = Set(evaluators.keys)
        for id in changed {
            do throws(FlagError) {
                _ = try Cohorts.check(key: id, in: evaluators, named: names)
            } catch {
                throw RolloutError(cohort: error).within(document: pointer(to: id, in: "/cohorts"))
            }
        }
        do throws(RolloutError) {
            try configuration.checkSizes(in: after, changing: changed)
        } catch {
            throw error.within(document: "/cohorts")
        }
        configuration = after
    }

    /// To trust builds that nobody registered may give them migrated: that is for a verb.
    private func take(
        settings: EnvironmentSettings, into configuration: inout Configuration
    ) throws(RolloutError) {
        try settings.checkFlagSet()
        var after = settings
        if settings.unknownBuild == .trust { after.unknownBuild = configuration.settings.unknownBuild }
        configuration.store(.settings(after))
    }

    /// `known` are the overrides of its route.
    private func take(
        override: Override, into configuration: inout Configuration, among known: inout [Override]
    ) throws(RolloutError) {
        guard override.renderer == .legacy, override.holds(at: now) else { return }
        if let held = configuration.overrides[override.id], held.renderer == .legacy,
            held.expiresAt > override.expiresAt
        {
            return
        }
        guard configuration.routes[override.id.route]?.obeysOverrides ?? true else { return }
        guard let change = try configuration.settingOverride(override, beside: known, at: now) else { return }
        configuration.take(change)
        known.removeAll { $0.id == override.id || !$0.holds(at: now) }
        known.append(override)
    }

    private func remove(
        _ section: ConfigurationDocument.Section, _ id: String, from configuration: inout Configuration
    ) throws(RolloutError) {
        switch section {
        case .cohorts where configuration.cohorts[id] != nil:
            configuration.take(try configuration.removingCohort(id))
        case .flags where configuration.flags[id] != nil: configuration.take(try configuration.removingFlag(id))
        case .overrides:
            // One that keeps a unit on legacy is only taken away by a verb.
            guard
                let override = Override.ID(text: id).flatMap({ configuration.overrides[$0] }),
                override.renderer == .migrated || !override.holds(at: now)
            else { return }
            configuration.take(
                try configuration.clearingOverrides(of: override.id.route, unit: override.id.unit))
        default: break
        }
    }
}

extension Configuration {
    /// The routes that some override gives migrated now. A document adds none to them.
    fileprivate func routesOverridden(at now: Int64) -> Set<String> {
        Set(overrides.values.filter { $0.renderer == .migrated && $0.holds(at: now) }.map(\.id.route))
    }

    /// Whether registering the build would let somebody have migrated, by the ladder, a rehearsal or an override of these
    /// routes: until then it has legacy.
    fileprivate func gives(migratedTo build: Build, besides overridden: Set<String>) -> Bool {
        build.renderers.contains { key, renderers in
            guard renderers.contains(.migrated), let route = routes[key] else { return false }
            return route.stage >= .partialRollout || route.rehearsal != nil || overridden.contains(key)
        }
    }

    mutating func take(_ change: Change?) {
        for row in change?.rows ?? [] { store(row) }
    }
}
