/// The one authority over a stack of screens.
///
/// Screens ask and finish; the platform says what was shown and what the user took away; only the coordinator changes
/// the stack. It starts journeys, and sees to it that each ends with exactly one outcome, whatever leaves first, last,
/// twice, or together. The journeys of several flows may share one stack.
///
/// A journey ends when a screen of it finishes with success, or when its first screen leaves. A screen in the middle
/// that finishes without success, as an editor that was cancelled, ends nothing but itself.
@MainActor
public final class FlowCoordinator<Screen> {
    /// The screens, the lowest first.
    public private(set) var stack: [StackedScreen<Screen>] = []

    /// The journeys of which a screen is on the stack, those that have their outcome already included.
    private var journeys: [JourneyID: RunningJourney] = [:]
    private var notifications = SeenNotifications()
    private var lastScreen = 0
    /// Screens that are being made: what they say waits until they are on the stack.
    private var screensInTheMaking = 0
    private var notices: [@MainActor () -> Void] = []
    private var isGivingNotice = false

    private let begin: @MainActor (any Route, Journey?) -> Journey
    private let onEvent: @MainActor (FlowEvent) -> Void

    /// An empty stack.
    ///
    /// - Parameters:
    ///   - begin: starts a journey for a route and, where there is one, a parent, and returns it with its choices. The
    ///     only moment at which the configuration is read.
    ///   - onEvent: is told what happened, after the stack has changed. It may call the coordinator.
    public init(
        begin: @escaping @MainActor (any Route, Journey?) -> Journey,
        onEvent: @escaping @MainActor (FlowEvent) -> Void
    ) {
        self.begin = begin
        self.onEvent = onEvent
    }

    // MARK: Starting

    /// Starts a journey on top of the stack.
    ///
    /// - Parameters:
    ///   - opener: the screen from whose journey a child is started; the child leaves with it. Nil for a journey of its
    ///     own.
    ///   - onOutcome: is told the journey's outcome once; nil when a rollback interrupted it.
    /// - Returns: nil, with nothing begun, when this build cannot open the route or the opener has left.
    @discardableResult
    public func start<R: Route, O: Outcome>(
        _ route: R, with resolver: EntryResolver<R, O, Screen>, from opener: ScreenID? = nil,
        onOutcome: @escaping @MainActor (O?) -> Void = { _ in }
    ) -> JourneyID? {
        guard resolver.canOpen(route) else { return nil }
        var parent: Journey?
        if let opener {
            guard let screen = screen(opener), let running = journeys[screen.journey] else { return nil }
            parent = running.journey
        }
        let begun = begin(route, parent)
        let journey = parent.map { begun.inheriting(from: $0) } ?? begun
        return run(journey, at: route, with: resolver, from: opener, onOutcome: onOutcome)
    }

    /// Starts the journey of a notification, or returns the one that an earlier delivery of it started.
    @discardableResult
    public func start<R: Route, O: Outcome>(
        _ notification: RouteNotification<R>, with resolver: EntryResolver<R, O, Screen>,
        onOutcome: @escaping @MainActor (O?) -> Void = { _ in }
    ) -> JourneyID? {
        if let journey = notifications.journey(for: notification.id) { return journey }
        guard let journey = start(notification.route, with: resolver, onOutcome: onOutcome) else { return nil }
        notifications.remember(journey, for: notification.id)
        return journey
    }

    /// Puts a restored journey on top of the stack, with the choices that it has.
    ///
    /// - Returns: nil when it is on the stack already, or when this build cannot open the route.
    @discardableResult
    public func resume<R: Route, O: Outcome>(
        _ journey: Journey, at route: R, with resolver: EntryResolver<R, O, Screen>,
        onOutcome: @escaping @MainActor (O?) -> Void = { _ in }
    ) -> JourneyID? {
        run(journey, at: route, with: resolver, from: nil, onOutcome: onOutcome)
    }

    // MARK: What the platform says

    /// The screen is on the display.
    public func didShow(_ id: ScreenID) {
        guard let screen = screen(id),
            journeys[screen.journey]?.exposed.insert(screen.key).inserted == true
        else { return }
        tell(.exposed(screen.journey, key: screen.key, renderer: screen.renderer))
        giveNotice()
    }

    /// The user took the screen away by a back swipe or a swipe down, and everything above went with it.
    ///
    /// Of a screen that has left already, as the platform reports after every change of the stack, it means nothing.
    public func userLeft(_ id: ScreenID) {
        guard let place = stack.firstIndex(where: { $0.id == id }) else { return }
        remove(Set(stack[place...].map(\.id)))
        giveNotice()
    }

    /// The user, or the app, went back to the lowest screen.
    public func popToRoot() {
        guard stack.count > 1 else { return }
        remove(Set(stack.dropFirst().map(\.id)))
        giveNotice()
    }

    /// A rollback of level `abort` reached the journey: it ends as interrupted, and its screens leave.
    public func interrupt(_ id: JourneyID) {
        guard let running = journeys[id] else { return }
        remove(tree(of: running.firstScreen), ending: id, with: nil)
        giveNotice()
    }

    // MARK: What screens say

    private func run<R: Route, O: Outcome>(
        _ journey: Journey, at route: R, with resolver: EntryResolver<R, O, Screen>, from opener: ScreenID?,
        onOutcome: @escaping @MainActor (O?) -> Void
    ) -> JourneyID? {
        guard journeys[journey.id] == nil, let id = push(route, of: journey, with: resolver, from: opener)
        else { return nil }
        journeys[journey.id] = RunningJourney(
            journey: journey, firstScreen: id, cancelled: O.cancelled, onOutcome: { onOutcome($0 as? O) })
        tell(.began(journey))
        tell(.stackChanged)
        giveNotice()
        return journey.id
    }

    private func push<R: Route, O: Outcome>(
        _ route: R, of journey: Journey, with resolver: EntryResolver<R, O, Screen>, from opener: ScreenID?
    ) -> ScreenID? {
        lastScreen += 1
        let id = ScreenID(number: lastScreen)
        screensInTheMaking += 1
        defer { screensInTheMaking -= 1 }
        let opened = resolver.open(route, in: journey) { [weak self] event in
            self?.hear(event, from: id, with: resolver)
        }
        guard let opened else { return nil }
        stack.append(
            StackedScreen(
                id: id, screen: opened.screen, journey: journey.id, key: opened.route.key,
                renderer: opened.renderer, opener: opener, requested: AnyHashable(route)))
        return id
    }

    private func hear<R: Route, O: Outcome>(
        _ event: ScreenEvent<R, O>, from id: ScreenID, with resolver: EntryResolver<R, O, Screen>
    ) {
        if screensInTheMaking > 0 {
            notices.append { [weak self] in self?.hear(event, from: id, with: resolver) }
            return
        }
        // A screen that has left has nothing to say: this is what makes a second finish harmless.
        guard let screen = screen(id), let running = journeys[screen.journey] else { return }
        switch event {
        case .request(let route):
            // A second tap before the first one's screen has covered the button.
            if stack.contains(where: { $0.opener == id && $0.requested == AnyHashable(route) }) { return }
            let pushed = push(route, of: running.journey, with: resolver, from: id)
            tell(pushed == nil ? .unavailable(screen.journey, key: route.key) : .stackChanged)
        case .finish(let outcome):
            if outcome.isSuccess, running.firstScreen != id { end(screen.journey, with: outcome) }
            remove(tree(of: id), ending: screen.journey, with: outcome)
        }
        giveNotice()
    }

    // MARK: Leaving

    /// The screen and all that were asked for by it, or by those.
    private func tree(of id: ScreenID) -> Set<ScreenID> {
        // A screen always lies above its opener, so once upwards finds them all.
        stack.reduce(into: [id]) { tree, screen in
            if let opener = screen.opener, tree.contains(opener) { tree.insert(screen.id) }
        }
    }

    /// Takes screens off the stack, and ends every journey whose first screen is among them, the upper ones first.
    ///
    /// - Parameters:
    ///   - finishing: the journey that ends with the outcome; all others were cancelled.
    ///   - outcome: nil for an interruption.
    private func remove(
        _ ids: Set<ScreenID>, ending finishing: JourneyID? = nil, with outcome: (any Outcome)? = nil
    ) {
        let leaving = stack.filter { ids.contains($0.id) }
        stack.removeAll { ids.contains($0.id) }
        for screen in leaving.reversed() {
            guard let running = journeys[screen.journey], running.firstScreen == screen.id else { continue }
            end(screen.journey, with: screen.journey == finishing ? outcome : running.cancelled)
            journeys[screen.journey] = nil
        }
        tell(.stackChanged)
    }

    /// Gives the journey its outcome, unless it has one.
    private func end(_ id: JourneyID, with outcome: (any Outcome)?) {
        guard let running = journeys[id], !running.hasOutcome else { return }
        journeys[id]?.hasOutcome = true
        tell(.ended(id, outcome.map { JourneyOutcome($0) } ?? JourneyOutcome(status: .interrupted)))
        notices.append { running.onOutcome(outcome) }
    }

    private func screen(_ id: ScreenID) -> StackedScreen<Screen>? { stack.first { $0.id == id } }

    // MARK: Telling

    private func tell(_ event: FlowEvent) {
        notices.append { [onEvent] in onEvent(event) }
    }

    /// Tells what has happened, in order. Whoever is told may call the coordinator, whose state is whole by now.
    private func giveNotice() {
        guard !isGivingNotice, screensInTheMaking == 0 else { return }
        isGivingNotice = true
        defer { isGivingNotice = false }
        while !notices.isEmpty { notices.removeFirst()() }
    }
}
