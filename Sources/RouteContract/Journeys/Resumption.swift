/// Why a resume opened another segment of a journey.
///
/// The raw values are the words of the wire and of the database. In the order in which one is told when several apply.
public enum SegmentReason: String, CaseIterable, Codable, Hashable, Sendable {
    /// The last process died in a migrated renderer.
    case crashLoopBreaker
    /// The route was rolled back at level `repinOnResume`.
    case repinOnResume
    /// The build does not contain what the journey was pinned to.
    case pinnedRendererUnavailable
    /// The route's restore policy says so, or the journey had no choice for a route that the build has by now.
    case redecide
}

/// What one route offers to a journey, whatever that journey has already.
public struct RouteOffer: Hashable, Sendable {
    /// The key of the route.
    public let route: String
    /// The input of a new journey's choice.
    public let input: ChoiceInput
    /// Whether a rollback tells live journeys in migrated to end.
    public let aborts: Bool
    /// Whether a rollback makes journeys in migrated choose anew when they are resumed.
    public let repins: Bool
    /// Whether the route's restore policy makes every resumed journey choose anew.
    public let redecides: Bool

    /// An offer; what is not named is as in a route whose journeys keep their pins.
    public init(
        route: String, input: ChoiceInput, aborts: Bool = false, repins: Bool = false, redecides: Bool = false
    ) {
        self.route = route
        self.input = input
        self.aborts = aborts
        self.repins = repins
        self.redecides = redecides
    }

    /// What a new journey gets; nil when the build has neither renderer.
    public var choice: Choice? { choose(input)?.choice }

    /// What a child journey gets: what its parent has, for as long as nothing tells the parent to leave it.
    public func choice(inheriting parent: Choice?) -> Choice? {
        guard let parent, parent.renderer == .legacy || !(aborts || repins) else { return choice }
        var input = input
        input.pin = parent.renderer
        return choose(input)?.choice
    }
}

/// What a resume comes to.
public enum Resumption: Hashable, Sendable {
    /// The present segment stands.
    case stands
    /// The next segment opens with these choices, by route in the order of the offers.
    case opens(SegmentReason, [String: Choice])
    /// A rollback ends the journey, with ``OutcomeStatus/interrupted``.
    case ends

    /// Decides for a journey that has those choices. Server and client both call this, so that they agree.
    ///
    /// Every route is chosen by ``choose(_:)``. A segment opens only when a renderer differs, when the build has lost a
    /// route of the journey, or has one more. What the configuration knows nothing of stays as it is.
    public init(of choices: [String: Choice], offers: [RouteOffer], lastProcessDied: Bool) {
        var next = choices
        var reasons: Set<SegmentReason> = []
        for offer in offers {
            switch offer.resumed(choices[offer.route], lastProcessDied: lastProcessDied) {
            case .keeps(let choice): next[offer.route] = choice
            case .changes(let choice, let reason):
                next[offer.route] = choice
                reasons.insert(reason)
            case .ends:
                self = .ends
                return
            }
        }
        let reason = SegmentReason.allCases.first(where: reasons.contains)
        self = reason.map { .opens($0, next) } ?? .stands
    }
}

extension RouteOffer {
    fileprivate enum Resumed {
        case keeps(Choice?)
        case changes(Choice?, SegmentReason)
        case ends
    }

    fileprivate func resumed(_ pinned: Choice?, lastProcessDied: Bool) -> Resumed {
        guard let pinned else {
            // A screen that this journey never showed: nothing can switch under anybody.
            return choice.map { .changes($0, .redecide) } ?? .keeps(nil)
        }
        var input = input
        input.pin = pinned.renderer
        input.isResume = true
        input.lastProcessDiedHere = lastProcessDied
        input.isAborted = aborts && pinned.renderer == .migrated && input.inBuild.contains(.legacy)
        switch choose(input) {
        case nil: return .changes(nil, .pinnedRendererUnavailable)
        case .end: return .ends
        case .open(let choice) where choice.reason == .pinned: return kept(pinned, as: choice)
        case .open(let choice):
            return .changes(
                choice, choice.reason == .crashLoopBreaker ? .crashLoopBreaker : .pinnedRendererUnavailable)
        }
    }

    /// The pin holds, unless the route's rollback or its policy asks for another choice that differs.
    private func kept(_ pinned: Choice, as choice: Choice) -> Resumed {
        // Where migrated crashed, this journey stays in legacy: choosing anew would crash again.
        if pinned.reason == .crashLoopBreaker { return .keeps(pinned) }
        let leaves = repins && pinned.renderer == .migrated
        if leaves || redecides, let anew = self.choice, anew.renderer != pinned.renderer {
            return .changes(anew, leaves ? .repinOnResume : .redecide)
        }
        // Reads have no build at hand; the reason tells them that there is nothing else to open.
        return .keeps(
            input.inBuild.only == nil ? choice : Choice(renderer: pinned.renderer, reason: .onlyRendererInBuild))
    }
}

extension Choice {
    /// Whether a rollback at level `abort` ends a journey that has this choice. Not where the build has nothing else:
    /// the next journey would get the same.
    public var isEndedByAbort: Bool { renderer == .migrated && reason != .onlyRendererInBuild }
}
