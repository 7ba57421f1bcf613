/// What a coordinator tells of its journeys: to whoever keeps the platform's stack, and to the client library.
public enum FlowEvent: Hashable, Sendable {
    /// A journey was started, or resumed.
    case began(Journey)
    /// Screens came or went: show ``FlowCoordinator/stack``.
    case stackChanged
    /// A route was really shown, for the first time in its journey, by this renderer.
    case exposed(JourneyID, key: String, renderer: Renderer)
    /// A screen asked for a route that this build can open neither itself nor by an ancestor.
    case unavailable(JourneyID, key: String)
    /// The journey's one outcome.
    case ended(JourneyID, JourneyOutcome)
}

/// The identity of one screen on a stack. A new one for every screen, even of an equal route.
public struct ScreenID: Hashable, Sendable {
    let number: Int
}

/// One screen on a stack.
public struct StackedScreen<Screen> {
    /// What the coordinator knows the screen by.
    public let id: ScreenID
    /// What the platform shows.
    public let screen: Screen
    /// The journey that the screen belongs to.
    public let journey: JourneyID
    /// The key of the route that was opened.
    public let key: String
    /// The renderer that was built.
    public let renderer: Renderer
    /// The screen that asked for this one.
    let opener: ScreenID?
    /// The route as it was asked for.
    let requested: AnyHashable
}
