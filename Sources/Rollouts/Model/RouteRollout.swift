import RouteContract

/// Everything that is stored of one route's move from legacy to migrated.
public struct RouteRollout: Hashable, Sendable {
    public let key: String
    /// The key of the flow that the route belongs to.
    public let flow: String
    public var owner: String?
    /// Why the route is being moved.
    public var reason: String?
    /// Payload schema and outcomes, as registered.
    public var contract: RegisteredContract?
    /// Every deep link, notification, restoration and in-app caller that opens the route.
    public var entryPoints: [EntryPoint] = []
    /// Routes that must be at least `compatible` before this one may be.
    public var requires: [String] = []
    public var plan: RolloutPlan?
    /// When the legacy entry is to be deleted, and who does it.
    public var deletion: Deletion?

    public var stage: Stage = .notStarted
    public var status: RouteStatus = .active
    /// The ladder's step that decides in `partialRollout`, counted from 1; 0 means none.
    public var step: Int = 0
    /// Milliseconds since 1970 at which the stage began.
    public var stageSince: Int64
    /// Milliseconds since 1970 at which the step began.
    public var stepSince: Int64
    /// The stage in which a rollback found the route.
    public var rolledBackFrom: Stage?
    /// The highest step that was left by an advance, so that a resume may name it.
    public var highestHealthyStep: Int = 0
    /// How often the route was flipped back to legacy.
    public var flipBacks: Int = 0
    public var island: Island?

    public init(key: String, flow: String, createdAt now: Int64) {
        self.key = key
        self.flow = flow
        stageSince = now
        stepSince = now
    }
}
