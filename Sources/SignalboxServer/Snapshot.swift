import FlagEvaluation
import Rollouts
import RouteContract
import Storage

/// One revision of the configuration, compiled: what every request reads and nothing ever changes.
final class Snapshot: Sendable {
    let configuration: Configuration
    /// Milliseconds since 1970 from which this node has served it.
    let publishedAt: Int64
    let keys: KeyRing
    private let compiled: CompiledConfiguration
    /// Ordinary flags and the projections of routes.
    let flags: FlagSet
    /// For routes on the ladder: what their projections give, and which part of them does.
    private let decisions: FlagSet
    /// For routes with scoped rollbacks: which of them holds.
    private let exclusions: FlagSet
    /// The answers of OFREP, ready to be sent, in the order of `flags`.
    let prepared: [PreparedFlag]
    /// What an answer for everything takes at most, for an environment without large failures.
    let bulkBytes: Int
    let builds: BuildTable
    /// By flow key.
    let flows: [String: CompiledFlow]
    /// The projected routes, by their index in `flags`; nil for an ordinary flag.
    let routes: [CompiledRoute?]
    /// Whether a rule that somebody wrote asks for the time.
    private let rulesReadClock: Bool
    /// When overrides end, in order.
    private let overrideEnds: [Int64]
    /// Where rollbacks tell live journeys in migrated to end, by route; nearly always nowhere.
    private let aborts: [String: [RollbackScope]]

    /// Compiles a configuration; of one that follows another only what has changed.
    init(_ configuration: Configuration, publishedAt: Int64, after previous: Snapshot? = nil) {
        self.configuration = configuration
        self.publishedAt = publishedAt
        keys = KeyRing(configuration.keys.values, after: previous?.keys)
        let compiled = CompiledConfiguration(configuration, after: previous?.compiled)
        let flags = compiled.flags
        let known = previous?.configuration.builds == configuration.builds ? previous?.builds : nil
        let builds = known ?? BuildTable(configuration)
        let unknownBuild = RendererSet(configuration.settings.unknownBuild.renderers)
        let overrides = Dictionary(grouping: configuration.overrides.values) { $0.id.route }
        var routes = [CompiledRoute?](repeating: nil, count: flags.count)
        for route in configuration.routes.values {
            guard let index = flags.index(ofKey: route.key) else { continue }
            routes[index] = CompiledRoute(
                route: route, index: index, in: flags, decisions: compiled.decisions,
                exclusions: compiled.exclusions, builds: builds, unknownBuild: unknownBuild,
                overrides: route.obeysOverrides ? overrides[route.key] ?? [] : [])
        }
        let byFlow = Dictionary(grouping: routes.compactMap { $0 }) { $0.flow }
        flows = configuration.flows.mapValues {
            CompiledFlow(flow: $0, routes: byFlow[$0.key] ?? [], in: configuration)
        }
        aborts = configuration.routes.mapValues(\.aborts).filter { !$0.value.isEmpty }
        var hint = 0
        let prepared = routes.indices.map { index in
            previous?.prepared(
                for: flags, at: index, isRoute: routes[index] != nil, near: &hint, configuration.settings.metadata)
                ?? PreparedFlag(flags, at: index, isRoute: routes[index] != nil)
        }
        bulkBytes = prepared.reduce(64) { $0 + $1.mostBytes + 1 }
        self.compiled = compiled
        self.flags = flags
        decisions = compiled.decisions
        exclusions = compiled.exclusions
        self.prepared = prepared
        self.builds = builds
        rulesReadClock =
            compiled.decisions.readsClock
            || routes.indices.contains { routes[$0] == nil && flags.readsClock(at: $0) }
        overrideEnds = configuration.overrides.values.map(\.expiresAt).sorted()
        self.routes = routes
    }

    /// What was prepared for a flag that is still the same.
    private func prepared(
        for flags: FlagSet, at index: Int, isRoute: Bool, near hint: inout Int, _ metadata: JSONObject
    ) -> PreparedFlag? {
        guard configuration.settings.metadata == metadata, let known = self.flags.index(of: flags[index], near: &hint),
            (routes[known] != nil) == isRoute,
            self.flags.fault(at: known) == flags.fault(at: index)
        else { return nil }
        return prepared[known]
    }

    /// What the passing of time alone changes in the answers: the same number, the same answers; nil when time changes
    /// nothing.
    ///
    /// The projections of routes ask for the time only to see whether overrides have ended, which is told more sparingly
    /// than by the second: a tag that lives a second makes every client evaluate again.
    func timeSlice(at now: Int64) -> Int64? {
        if rulesReadClock { return now / 1_000 }
        guard !overrideEnds.isEmpty else { return nil }
        return Int64(overrideEnds.prefix { $0 <= now }.count)
    }

    /// The compiled route of that key.
    func route(_ key: String) -> CompiledRoute? { flags.index(ofKey: key).flatMap { routes[$0] } }

    /// The choice of a new journey for one route; nil when the build has neither renderer.
    ///
    /// `claimed` is what the client says that its build has.
    func choice(
        of route: CompiledRoute, in build: BuildID?, claimed: RendererSet? = nil,
        for context: borrowing EvaluationContext, at now: Int64, using scratch: EvaluationScratch
    ) -> Choice? {
        choice(
            of: route, among: route.renderers(in: build, claimed: claimed),
            whenFlagGives: answer(of: route, for: context, at: now, using: scratch), for: context, at: now,
            using: scratch)
    }

    /// The same among those renderers, when the flag has been evaluated already.
    func choice(
        of route: CompiledRoute, among renderers: RendererSet, whenFlagGives answer: RouteAnswer,
        for context: borrowing EvaluationContext, at now: Int64, using scratch: EvaluationScratch
    ) -> Choice? {
        choose(
            input(
                of: route, among: renderers, whenFlagGives: answer,
                isExcluded: route.exclusion != nil && exclusion(of: route, for: context, using: scratch) != nil,
                for: context, at: now))?.choice
    }

    /// Everything that the choice of a new journey for one route depends on.
    private func input(
        of route: CompiledRoute, among renderers: RendererSet, whenFlagGives answer: RouteAnswer,
        isExcluded: Bool, for context: borrowing EvaluationContext, at now: Int64
    ) -> ChoiceInput {
        ChoiceInput(
            stage: route.stage, status: route.status, isExcluded: isExcluded,
            override: route.override(for: context, at: now), flag: answer.decision, inBuild: renderers)
    }

    /// What a route's flag answers, but for overrides and scoped rollbacks, which come before it in a choice.
    func answer(
        of route: CompiledRoute, for context: borrowing EvaluationContext, at now: Int64,
        using scratch: EvaluationScratch
    ) -> RouteAnswer {
        guard let decision = route.decision else {
            let outcome = flags.outcome(at: route.index, for: context, at: now / 1000, using: scratch)
            return RouteAnswer(outcome, isMigrated: outcome.variant == route.migratedVariant)
        }
        let outcome = decisions.outcome(at: decision, for: context, at: now / 1000, using: scratch.companion)
        return RouteAnswer(outcome)
    }

    /// What a route offers to a journey that may have a choice already.
    func offer(
        of route: CompiledRoute, among renderers: RendererSet, for context: borrowing EvaluationContext, at now: Int64,
        using scratch: EvaluationScratch
    ) -> RouteOffer {
        let answer = answer(of: route, for: context, at: now, using: scratch)
        let exclusion = exclusion(of: route, for: context, using: scratch)
        let rollback = [route.rollbackLevel, exclusion?.level].compactMap(\.self).max() ?? .drain
        return RouteOffer(
            route: route.key,
            input: input(
                of: route, among: renderers, whenFlagGives: answer, isExcluded: exclusion != nil, for: context,
                at: now),
            aborts: rollback == .abort, repins: rollback >= .repinOnResume,
            redecides: route.restore == .redecide)
    }

    /// Whether a rollback tells a journey to end that has this pin and no outcome.
    ///
    /// Of a journey only its build is known here: a rollback that is limited to some OS versions ends those that are
    /// resumed.
    func ends(_ pin: JourneyDraft, at now: Int64) -> Bool {
        guard !aborts.isEmpty, now < pin.expiresAt else { return false }
        let build = configuration.builds[pin.build] ?? Build(id: pin.build, version: "", renderers: [:])
        return (pin.choices.all ?? []).contains { route, choice in
            choice.isEndedByAbort && aborts[route]?.contains { $0.contains(build) } == true
        }
    }

    /// Whether the flag of a route gives migrated.
    func isMigrated(
        _ route: CompiledRoute, for context: borrowing EvaluationContext, at now: Int64,
        using scratch: EvaluationScratch
    ) -> Bool {
        let variant = flags.outcome(at: route.index, for: context, at: now / 1000, using: scratch).variant
        return variant == route.migratedVariant
    }

    /// The scoped rollback that holds for whoever asks, of several the one with the highest level.
    func exclusion(
        of route: CompiledRoute, for context: borrowing EvaluationContext, using scratch: EvaluationScratch
    ) -> Exclusion? {
        guard let exclusion = route.exclusion else { return nil }
        // Its rules never ask for the time.
        let outcome = exclusions.outcome(
            at: exclusion.index, for: context, at: 0, using: scratch.companion.companion)
        return outcome.variant.flatMap { exclusion.byVariant[$0] }
    }

    /// How far a rollback goes for whoever asks, of the whole route or of a scope that the context lies in; nil when
    /// none holds.
    func rollbackLevel(
        of route: CompiledRoute, for context: borrowing EvaluationContext, using scratch: EvaluationScratch
    ) -> RollbackLevel? {
        [route.rollbackLevel, exclusion(of: route, for: context, using: scratch)?.level].compactMap(\.self).max()
    }
}

/// A flow with what a start of its journeys needs.
struct CompiledFlow: Sendable {
    let flow: Flow
    /// By key.
    let routes: [CompiledRoute]
    /// The names that the contracts of its routes give to outcomes; nil while no contract is registered.
    let outcomes: Set<String>?

    init(flow: Flow, routes: [CompiledRoute], in configuration: Configuration) {
        self.flow = flow
        self.routes = routes
        let contracts = routes.compactMap { configuration.routes[$0.key]?.contract }
        outcomes = contracts.isEmpty ? nil : Set(contracts.flatMap(\.outcomes))
    }
}

extension RouteRollout {
    /// What rollbacks at level abort are limited to; one that is not limited has an empty scope.
    fileprivate var aborts: [RollbackScope] {
        let whole = status == .rolledBack && rollbackLevel == .abort ? [RollbackScope()] : []
        return whole + exclusions.filter { $0.level == .abort && $0.scope.os == nil }.map(\.scope)
    }
}
