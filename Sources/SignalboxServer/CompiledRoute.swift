import FlagEvaluation
import Rollouts
import RouteContract

/// A route with what a choice of its renderer needs.
struct CompiledRoute: Sendable {
    let key: String
    /// The key of its flow.
    let flow: String
    let stage: Stage
    let status: RouteStatus
    /// Where its projection stands in the snapshot's flags.
    let index: Int
    /// Where `migrated` stands among the variants of the projection.
    let migratedVariant: Int?
    /// Where the flag stands that tells which part decided; nil when only the stage can.
    let sourceIndex: Int?
    private let manifests: [BuildID: RendererSet]

    init(route: RouteRollout, index: Int, in flags: FlagSet, sourceIndex: Int?, manifests: [BuildID: RendererSet]) {
        key = route.key
        flow = route.flow
        stage = route.stage
        status = route.status
        self.index = index
        migratedVariant = flags[index].variants.firstIndex { $0.name == Renderer.migrated.rawValue }
        self.sourceIndex = sourceIndex
        self.manifests = manifests
    }

    /// What may be chosen for a journey from that build.
    ///
    /// A registered manifest wins over a claim of more; a build that is not registered, or not named, has legacy only.
    func renderers(in build: BuildID?, claimed: RendererSet?) -> RendererSet {
        let known = build.flatMap { manifests[$0] } ?? .legacy
        return claimed.map { known.intersection($0) } ?? known
    }
}

/// The manifests of all builds, turned round: by route.
struct Manifests {
    private var byRoute: [String: [BuildID: RendererSet]] = [:]
    private let registered: [BuildID: RendererSet]

    init(_ configuration: Configuration) {
        // A registered build that does not name a route does not contain it.
        registered = configuration.builds.mapValues { _ in [] }
        for route in configuration.routes.keys {
            var renderers = registered
            for (id, build) in configuration.builds { renderers[id] = RendererSet(build.renderers[route] ?? []) }
            byRoute[route] = renderers
        }
    }

    func renderers(of route: String) -> [BuildID: RendererSet] { byRoute[route] ?? registered }
}
