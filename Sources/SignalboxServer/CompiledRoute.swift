import FlagEvaluation
import Rollouts
import RouteContract

/// A route with what a choice of its renderer needs.
final class CompiledRoute: Sendable {
    let key: String
    /// The key of its flow.
    let flow: String
    let stage: Stage
    let status: RouteStatus
    let restore: RestorePolicy
    /// Where its projection stands in the snapshot's flags.
    let index: Int
    /// Where `migrated` stands among the variants of the projection.
    let migratedVariant: Int?
    /// Where the flag stands that tells what is decided and by which part; nil when only the stage can decide.
    let decision: Int?
    /// Where the flag stands that tells which scoped rollback holds, and what its variants mean; nil when there is none.
    let exclusion: (index: Int, byVariant: [Exclusion?])?
    /// How far the rollback of the whole route goes; nil when it is not rolled back.
    let rollbackLevel: RollbackLevel?
    private let builds: BuildTable
    /// What each registered build has of this route.
    private let manifests: [RendererSet]
    private let unknownBuild: RendererSet
    /// By unit, those that have ended included; none where overrides do not count.
    private let overrides: [String: Override]

    init(
        route: RouteRollout, index: Int, in flags: FlagSet, decisions: FlagSet, exclusions: FlagSet, builds: BuildTable,
        unknownBuild: RendererSet, overrides: [Override]
    ) {
        key = route.key
        flow = route.flow
        stage = route.stage
        status = route.status
        restore = route.restore
        self.index = index
        migratedVariant = flags[index].variants.firstIndex { $0.name == Renderer.migrated.rawValue }
        // A projection that cannot be evaluated answers that it cannot.
        decision = flags.fault(at: index) == nil ? decisions.index(ofKey: route.key) : nil
        exclusion = exclusions.index(ofKey: route.key).map { index in
            (index, exclusions[index].variants.map { variant in route.exclusions.first { $0.id == variant.name } })
        }
        rollbackLevel = route.status == .rolledBack ? route.rollbackLevel : nil
        self.builds = builds
        manifests = builds.renderers(of: route.key)
        self.unknownBuild = unknownBuild
        self.overrides = Dictionary(overrides.map { ($0.id.unit, $0) }) { _, latest in latest }
    }

    /// What may be chosen for a journey from the build that stands there in the snapshot.
    ///
    /// A registered manifest wins over a claim of more; of a build that is not registered, or not named, the environment
    /// says what it has.
    func renderers(in build: Int?, claimed: RendererSet? = nil) -> RendererSet {
        let known = build.map { manifests[$0] } ?? unknownBuild
        return claimed.map { known.intersection($0) } ?? known
    }

    /// The same for a build by its id.
    func renderers(in build: BuildID?, claimed: RendererSet?) -> RendererSet {
        renderers(in: build.flatMap { builds[$0.text] }, claimed: claimed)
    }

    /// The renderer that an override names for whoever asks.
    func override(for context: borrowing EvaluationContext, at now: Int64) -> Renderer? {
        guard !overrides.isEmpty, let unit = context.targetingKey, let override = overrides[unit],
            override.holds(at: now)
        else { return nil }
        return override.renderer
    }
}

/// The registered builds of a snapshot, numbered, so that a request looks its build up once for all routes.
final class BuildTable: Sendable {
    private let indices: [String: Int]
    /// What each build has, by route.
    private let renderers: [String: [RendererSet]]
    /// What each build has of a route that none names.
    private let none: [RendererSet]

    init(_ configuration: Configuration) {
        let builds = Array(configuration.builds.values)
        indices = Dictionary(uniqueKeysWithValues: builds.enumerated().map { ($1.id.text, $0) })
        none = [RendererSet](repeating: RendererSet(Set<Renderer>()), count: builds.count)
        var renderers: [String: [RendererSet]] = [:]
        for (index, build) in builds.enumerated() {
            for (route, has) in build.renderers { renderers[route, default: none][index] = RendererSet(has) }
        }
        self.renderers = renderers
    }

    /// Where the build of that text stands.
    subscript(text: String) -> Int? { indices[text] }

    /// What each build has of a route. One that does not name it does not contain it.
    func renderers(of route: String) -> [RendererSet] { renderers[route] ?? none }
}
