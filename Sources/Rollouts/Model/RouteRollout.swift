import RouteContract

/// Everything that is stored of one route's move from legacy to migrated.
package struct RouteRollout: Hashable, Sendable {
    package let key: String
    /// The key of the flow that the route belongs to.
    package let flow: String
    package var owner: String?
    /// Why the route is being moved.
    package var reason: String?
    /// Payload schema and outcomes, as registered.
    package var contract: RegisteredContract?
    /// Every deep link, notification, restoration and in-app caller that opens the route.
    package var entryPoints: [EntryPoint] = []
    /// Routes that must have come as far before this one may.
    package var requires: [String] = []
    /// Routes that must not be in rollout together with this one, whichever of the two says so.
    package var excludes: [String] = []
    /// The names in source code that go away with the legacy entry; what `refs scan` looks for.
    package var legacySymbols: [String] = []
    package var plan: RolloutPlan?
    /// When the legacy entry is to be deleted, and who does it.
    package var deletion: Deletion?

    package var stage: Stage = .notStarted
    package var status: RouteStatus = .active
    /// The ladder's step that decides in `partialRollout`, counted from 1; 0 means none.
    package var step: Int = 0
    /// Milliseconds since 1970 at which the stage began.
    package var stageSince: Int64
    /// Milliseconds since 1970 at which the step began.
    package var stepSince: Int64
    /// The revision with which the step began; nil in rows of releases that did not note it.
    package var stepRevision: Int64?
    /// A rehearsal that is under way, before the ladder is entered.
    package var rehearsal: Rehearsal?
    /// An approver's word for the next step.
    package var approval: StepApproval?
    /// The stage in which a rollback found the route.
    package var rolledBackFrom: Stage?
    /// How far the rollback goes; only raised while it stands, and `drain` while there is none.
    package var rollbackLevel: RollbackLevel = .drain
    /// Rollbacks of some builds or operating systems, in the order in which they were made; a resume leaves them.
    package var exclusions: [Exclusion] = []
    /// Milliseconds since 1970 at which some or all journeys were last flipped back to legacy; nil in rows of releases
    /// that did not note it.
    package var flippedBackAt: Int64?
    /// The highest step that was left by an advance, so that a resume may name it.
    package var highestHealthyStep: Int = 0
    /// How often the route was flipped back to legacy.
    package var flipBacks: Int = 0
    package var island: Island?
    /// The force that brought it where it stands.
    package var forced: ForcedMove?
    /// The stop that is not cleared up.
    package var stop: RouteStop?
    /// What a journey that is restored does with its choice.
    package var restore: RestorePolicy = .keepPin

    package init(key: String, flow: String, createdAt now: Int64) {
        self.key = key
        self.flow = flow
        stageSince = now
        stepSince = now
    }
}
