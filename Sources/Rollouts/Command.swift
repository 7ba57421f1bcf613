import FlagEvaluation
import RouteContract

/// Who asks for a change.
package struct Actor: Hashable, Sendable {
    /// The holder's name, as the audit shows it.
    package let name: String
    package let role: AccessKey.Role
    /// The id of the key that was used.
    package let keyID: String

    package init(name: String, role: AccessKey.Role, keyID: String) {
        self.name = name
        self.role = role
        self.keyID = keyID
    }
}

/// What a verb moves.
package enum Target: Hashable, Sendable {
    case route(String)
    /// All routes of the flow, all or none of them.
    case flow(String)
    /// Only for the verbs that narrow.
    case all
}

/// The verbs that move routes.
package enum Verb: Hashable, Sendable {
    /// `isForced` passes gates that are not hard; only for the admin role.
    case advance(isForced: Bool)
    case retreat
    case hold
    /// `cause` names what was wrong; needed after a rollback.
    case resume(cause: String?, step: Int?)
    /// A nil level leaves the level of a rollback that stands as it is, and is `drain` for a new one.
    /// With a scope only what lies in it gets legacy, and the route stays where it is.
    case rollBack(level: RollbackLevel?, scope: RollbackScope?)
    /// Takes a scoped rollback back, by its id. A `resume` on the wire.
    case lift(scope: String)
    /// An approver's word for the next step of the ladder, and no other.
    case approve
    case island(owner: String, reviewDate: String)

    /// A rollback of which no more is said.
    package static let rollback = Verb.rollBack(level: nil, scope: nil)

    /// The word on the wire, in the audit and on the command line.
    package var name: String {
        switch self {
        case .advance: "advance"
        case .retreat: "retreat"
        case .hold: "hold"
        case .resume, .lift: "resume"
        case .rollBack: "rollback"
        case .approve: "approve"
        case .island: "island"
        }
    }
}

/// What may be said of a route when it is registered or edited. Nil leaves a field as it is.
package struct RouteFields: Hashable, Sendable {
    package var owner: String?
    /// Why the route is being moved.
    package var purpose: String?
    package var contract: RegisteredContract?
    package var entryPoints: [EntryPoint]?
    package var requires: [String]?
    package var excludes: [String]?
    package var legacySymbols: [String]?
    package var plan: RolloutPlan?
    package var deletion: Deletion?
    package var restore: RestorePolicy?

    package init() {}
}

/// A change that somebody asks for.
package enum Command: Hashable, Sendable {
    case createFlow(Flow)
    case editFlow(key: String, owner: String?, journeyLifetimeSeconds: Int64?)
    case registerRoute(key: String, flow: String, RouteFields)
    case editRoute(key: String, RouteFields)
    case move(Verb, Target)
    /// Takes an automatic ladder to the step that is due. `lastLook` is when it was last looked at.
    case climb(route: String, lastLook: Int64)
    /// Gives a cohort migrated for so many seconds, before the ladder.
    case rehearse(route: String, cohort: String, seconds: Int64)
    case endRehearsal(route: String)
    /// Writes down what the clock has done to a rehearsal.
    case turnRehearsal(route: String)
    /// The definition in flagd's format, checked by the command. `isStrict` refuses warnings.
    ///
    /// `bucketing` is for a new flag, v2 unless it is named. An edit that moves units by reordering a split, or by
    /// changing what its weights add up to, must be meant: `allowsReshuffle`.
    case putFlag(
        key: String, definition: JSONValue, isStrict: Bool, bucketing: Bucketing? = nil,
        allowsReshuffle: Bool = false)
    /// A flag file in flagd's format: its flags, and its `$evaluators` as cohorts.
    case importFlags(
        file: JSONValue, isStrict: Bool, bucketing: Bucketing? = nil, allowsReshuffle: Bool = false)
    case removeFlag(key: String)
    case setFlagState(key: String, isEnabled: Bool)
    /// `isForced` changes who gets migrated at a step that decides now; only for the admin role.
    case putCohort(key: String, rule: JSONValue, isStrict: Bool, isForced: Bool = false)
    case removeCohort(key: String)
    case putBuild(Build)
    case createKey(AccessKey)
    case revokeKey(id: String)
    /// A person says that the clock is right although journeys look old. Stores nothing but the audit entry.
    case confirmSweep
    /// The old key ends after the overlap, or earlier if it would have ended anyway.
    case rotateKey(id: String, successor: AccessKey, overlapMilliseconds: Int64)
    case setOverride(Override)
    /// One override of a route, or with a nil unit all of them.
    case clearOverrides(route: String, unit: String?)
    /// Nil leaves a setting as it is.
    case editEnvironment(unknownBuild: EnvironmentSettings.UnknownBuild?)
    /// A whole environment as somebody wants it. Changes what widens nothing; the rest is for the verbs.
    case applyDocument(ConfigurationDocument, DocumentBase, allowsReshuffle: Bool)
    /// Writes a draft; of a condition that is frozen the draft of its next version.
    case putCondition(route: String, key: String, StopCondition.Definition)
    /// The drafts of a route, or with a key only that one.
    case freezeConditions(route: String, key: String?)
    /// Takes a draft away.
    case removeCondition(route: String, key: String)
    /// What was found of the frozen condition of that hash, with the numbers that it rests on. A stop acts as the condition
    /// says.
    case judge(route: String, hash: String, StopCondition.Judgement.Verdict, numbers: JSONObject)
    /// Only for the roles approver and admin.
    case grantWaiver(Waiver.ID, expiresAt: Int64)
    case revokeWaiver(Waiver.ID)
}

/// What a change did, before it is stored.
package struct AppliedCommand: Sendable {
    /// The state after the change; its revision is one higher exactly when something changed.
    package let configuration: Configuration
    /// What to store; empty when the command repeats what already holds.
    package let rows: [ConfigurationRow]
    /// Nil when nothing changed.
    package let audit: AuditDraft?

    package init(configuration: Configuration, rows: [ConfigurationRow], audit: AuditDraft?) {
        self.configuration = configuration
        self.rows = rows
        self.audit = audit
    }
}

/// An audit entry without its place in the chain.
package struct AuditDraft: Hashable, Sendable {
    package let actor: Actor
    /// `route.advance`, `flag.put`, …
    package let action: String
    /// `route/trips.edit`, `flag/new-search`, …
    package let subject: String
    package let reason: String
    package let before: JSONValue
    package let after: JSONValue

    package init(actor: Actor, action: String, subject: String, reason: String, before: JSONValue, after: JSONValue) {
        self.actor = actor
        self.action = action
        self.subject = subject
        self.reason = reason
        self.before = before
        self.after = after
    }
}
