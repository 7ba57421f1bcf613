/// Everything that the choice of a renderer may depend on.
///
/// The defaults are those of a new journey in an untouched route, so that a call names only what is different.
public struct ChoiceInput: Hashable, Sendable {
    /// The renderer that the journey already has for the route.
    ///
    /// To choose anew for a resumed journey (`repinOnResume`, `redecide`), leave it nil.
    public var pin: Renderer?
    /// Whether a journey is restored that an earlier process began.
    public var isResume: Bool
    /// Whether that process died in this journey without having marked a clean way to the background.
    public var lastProcessDiedHere: Bool
    /// Whether a rollback of level `abort` tells this journey to end.
    public var isAborted: Bool
    /// The stored stage of the route.
    public var stage: Stage
    /// The stored status of the route.
    public var status: RouteStatus
    /// Whether a rollback that is limited to some builds or OS versions includes this one.
    public var isExcluded: Bool
    /// The renderer that an override names for the unit.
    public var override: Renderer?
    /// What the route's flag answers for the unit.
    public var flag: FlagDecision
    /// What the asking build contains.
    public var inBuild: RendererSet
    /// What the asking side knows of the configuration.
    public var snapshot: SnapshotFreshness

    /// An input; what is not named is as in a new journey.
    public init(
        pin: Renderer? = nil, isResume: Bool = false, lastProcessDiedHere: Bool = false, isAborted: Bool = false,
        stage: Stage = .notStarted, status: RouteStatus = .active, isExcluded: Bool = false,
        override: Renderer? = nil, flag: FlagDecision = FlagDecision(.legacy, by: .stage),
        inBuild: RendererSet = .both, snapshot: SnapshotFreshness = .fresh
    ) {
        self.pin = pin
        self.isResume = isResume
        self.lastProcessDiedHere = lastProcessDiedHere
        self.isAborted = isAborted
        self.stage = stage
        self.status = status
        self.isExcluded = isExcluded
        self.override = override
        self.flag = flag
        self.inBuild = inBuild
        self.snapshot = snapshot
    }
}

/// What a route's flag answered, and which part of it did.
public struct FlagDecision: Hashable, Sendable {
    /// The part of the projected flag that decided.
    public enum Part: String, CaseIterable, Hashable, Sendable {
        case stage, cohort, share, holdout
    }

    /// The variant.
    public let renderer: Renderer
    /// What decided on it.
    public let part: Part

    /// An answer and its part.
    public init(_ renderer: Renderer, by part: Part) {
        self.renderer = renderer
        self.part = part
    }

    /// The part, as the reason of a choice.
    var reason: ChoiceReason {
        switch part {
        case .stage: .stage
        case .cohort: .cohort
        case .share: .share
        case .holdout: .holdout
        }
    }
}

/// How old the asking side's knowledge of the configuration is. A server's is always fresh.
public enum SnapshotFreshness: Hashable, Sendable {
    /// Young enough to be followed.
    case fresh
    /// Older than the staleness limit.
    case stale
    /// There is none; the app may have shipped with a default for the route.
    case absent(bundledDefault: Renderer?)
}
