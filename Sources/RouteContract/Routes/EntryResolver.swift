/// Opens routes with the entry that a journey's frozen choices name. Holds no flag and asks nobody.
@MainActor
public struct EntryResolver<R: Route, O: Outcome, Screen> {
    private let legacy: (any FeatureEntry<R, O, Screen>)?
    private let migrated: (any FeatureEntry<R, O, Screen>)?

    /// The entries of a flow that this build contains.
    ///
    /// - Parameters:
    ///   - legacy: nil in a build from which it was deleted.
    ///   - migrated: nil in a build that does not have it yet.
    public init(
        legacy: (any FeatureEntry<R, O, Screen>)?, migrated: (any FeatureEntry<R, O, Screen>)?
    ) {
        self.legacy = legacy
        self.migrated = migrated
    }

    /// The renderers that can open the route in this build: what a client says it `has`.
    public func renderers(for route: R) -> RendererSet {
        RendererSet(Renderer.allCases.filter { entry(for: route, $0) != nil })
    }

    /// Whether this build can open the route, or at least an ancestor of it.
    public func canOpen(_ route: R) -> Bool {
        route.withFallbacks.contains { !renderers(for: $0).isEmpty }
    }

    /// Makes the screen of a route.
    ///
    /// The journey's choice decides. When that entry is not in the build, or does not know the route, the other one
    /// opens it; when neither does, the nearest ancestor is opened. ``Opened`` tells what was built.
    ///
    /// - Returns: nil when this build can open neither the route nor any of its ancestors.
    public func open(
        _ route: R, in journey: Journey, onEvent: @escaping @MainActor (ScreenEvent<R, O>) -> Void
    ) -> Opened<R, Screen>? {
        for candidate in route.withFallbacks {
            let chosen = journey.choices[candidate.key]?.renderer ?? .legacy
            for renderer in [chosen, chosen.other] {
                guard let entry = entry(for: candidate, renderer) else { continue }
                let screen = entry.makeScreen(for: candidate, journey: journey, onEvent: onEvent)
                return Opened(screen: screen, route: candidate, renderer: renderer)
            }
        }
        return nil
    }

    private func entry(for route: R, _ renderer: Renderer) -> (any FeatureEntry<R, O, Screen>)? {
        guard let entry = renderer == .legacy ? legacy : migrated else { return nil }
        return type(of: entry).supports(route) ? entry : nil
    }
}

/// A screen, and what it really is.
public struct Opened<R: Route, Screen> {
    /// What the platform shows.
    public let screen: Screen
    /// The route that was opened: an ancestor of the one that was asked for when that could not be.
    public let route: R
    /// The renderer that was built. Reports name this one, whatever was chosen.
    public let renderer: Renderer
}
