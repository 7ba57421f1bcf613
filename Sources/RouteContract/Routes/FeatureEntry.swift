/// What opens the routes of a flow with one renderer.
///
/// A feature team writes two conformances, a legacy and a migrated one, and one set of tests for both. Nobody who opens
/// a route sees which of them did it.
@MainActor
public protocol FeatureEntry<R, O, Screen> {
    /// The routes of the flow.
    associatedtype R: Route
    /// What its journeys end with.
    associatedtype O: Outcome
    /// What the platform shows: a view controller on the phone, any value in a headless test.
    associatedtype Screen

    /// Whether this entry knows the route. Legacy opens the ones that a migrated entry does not know yet.
    static func supports(_ route: R) -> Bool

    /// Makes the screen of a route that the entry supports.
    ///
    /// - Parameter onEvent: what the screen calls to ask or to finish. It may be called late, twice, or while the
    ///   screen is being made; the coordinator sees to that. It holds nothing that holds the screen.
    func makeScreen(
        for route: R, journey: Journey, onEvent: @escaping @MainActor (ScreenEvent<R, O>) -> Void
    ) -> Screen
}

/// All that a screen can say. It asks or finishes; it never navigates.
public enum ScreenEvent<R: Route, O: Outcome>: Hashable, Sendable {
    /// Asks for another route of the flow.
    case request(R)
    /// The screen is done, and leaves.
    case finish(O)
}
