import FlagEvaluation
import Rollouts
import RouteContract

/// One revision of the configuration, compiled: what every request reads and nothing ever changes.
final class Snapshot: Sendable {
    let configuration: Configuration
    let keys: KeyRing
    /// Ordinary flags and the projections of routes.
    let flags: FlagSet
    /// The answers of OFREP, ready to be sent, in the order of `flags`.
    let prepared: [PreparedFlag]
    /// By flow key.
    let flows: [String: CompiledFlow]
    /// The projected routes, by their index in `flags`; nil for an ordinary flag.
    let routes: [CompiledRoute?]
    /// For routes on the ladder: which part of the projection decided.
    private let sources: FlagSet

    init(_ configuration: Configuration) {
        self.configuration = configuration
        keys = KeyRing(configuration.keys.values)
        let flags = configuration.flagSet()
        let sources = configuration.sourceFlagSet()
        let manifests = Manifests(configuration)
        var routes = [CompiledRoute?](repeating: nil, count: flags.count)
        for route in configuration.routes.values {
            guard let index = flags.index(ofKey: route.key) else { continue }
            routes[index] = CompiledRoute(
                route: route, index: index, in: flags, sourceIndex: sources.index(ofKey: route.key),
                manifests: manifests.renderers(of: route.key))
        }
        flows = configuration.flows.mapValues { flow in
            CompiledFlow(flow: flow, routes: routes.compactMap { $0?.flow == flow.key ? $0 : nil })
        }
        prepared = routes.indices.map { PreparedFlag(flags, at: $0, isRoute: routes[$0] != nil) }
        self.flags = flags
        self.sources = sources
        self.routes = routes
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
        let outcome = flags.outcome(at: route.index, for: context, at: now / 1000, using: scratch)
        return choice(
            of: route, in: build, claimed: claimed, whenFlagGives: outcome, for: context, at: now, using: scratch)
    }

    /// The same, when the flag has been evaluated already.
    func choice(
        of route: CompiledRoute, in build: BuildID?, claimed: RendererSet? = nil, whenFlagGives outcome: FlagEvaluation.Outcome,
        for context: borrowing EvaluationContext, at now: Int64, using scratch: EvaluationScratch
    ) -> Choice? {
        let renderer: Renderer = outcome.variant == route.migratedVariant ? .migrated : .legacy
        let part = route.sourceIndex.map { source(at: $0, for: context, at: now, using: scratch) } ?? .stage
        let input = ChoiceInput(
            stage: route.stage, status: route.status, flag: FlagDecision(renderer, by: part),
            inBuild: route.renderers(in: build, claimed: claimed))
        return choose(input)?.choice
    }

    /// Whether the flag of a route gives migrated.
    func isMigrated(
        _ route: CompiledRoute, for context: borrowing EvaluationContext, at now: Int64,
        using scratch: EvaluationScratch
    ) -> Bool {
        let variant = flags.outcome(at: route.index, for: context, at: now / 1000, using: scratch).variant
        return variant == route.migratedVariant
    }

    private func source(
        at index: Int, for context: borrowing EvaluationContext, at now: Int64, using scratch: EvaluationScratch
    ) -> FlagDecision.Part {
        guard let variant = sources.outcome(at: index, for: context, at: now / 1000, using: scratch).variant else {
            return .share
        }
        return FlagDecision.Part(rawValue: sources[index].variants[variant].name) ?? .share
    }
}

/// A flow with what a start of its journeys needs.
struct CompiledFlow: Sendable {
    let flow: Flow
    /// By key.
    let routes: [CompiledRoute]
}
