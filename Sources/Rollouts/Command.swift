import FlagEvaluation
import RouteContract

/// Who asks for a change.
public struct Actor: Hashable, Sendable {
    /// The holder's name, as the audit shows it.
    public let name: String
    public let role: AccessKey.Role
    /// The id of the key that was used.
    public let keyID: String

    public init(name: String, role: AccessKey.Role, keyID: String) {
        self.name = name
        self.role = role
        self.keyID = keyID
    }
}

/// What a verb moves.
public enum Target: Hashable, Sendable {
    case route(String)
    /// All routes of the flow, all or none of them.
    case flow(String)
    /// Only for the verbs that narrow.
    case all
}

/// The verbs that move routes.
public enum Verb: Hashable, Sendable {
    /// `isForced` passes gates that are not hard; only for the admin role.
    case advance(isForced: Bool)
    case retreat
    case hold
    /// `cause` names what was wrong; needed after a rollback.
    case resume(cause: String?, step: Int?)
    case rollback
    case island(owner: String, reviewDate: String)

    /// The word on the wire, in the audit and on the command line.
    public var name: String {
        switch self {
        case .advance: "advance"
        case .retreat: "retreat"
        case .hold: "hold"
        case .resume: "resume"
        case .rollback: "rollback"
        case .island: "island"
        }
    }
}

/// What may be said of a route when it is registered or edited. Nil leaves a field as it is.
public struct RouteFields: Hashable, Sendable {
    public var owner: String?
    /// Why the route is being moved.
    public var purpose: String?
    public var contract: RegisteredContract?
    public var entryPoints: [EntryPoint]?
    public var requires: [String]?
    public var plan: RolloutPlan?
    public var deletion: Deletion?

    public init() {}
}

/// A change that somebody asks for.
public enum Command: Hashable, Sendable {
    case createFlow(Flow)
    case editFlow(key: String, owner: String?, journeyLifetimeSeconds: Int64?)
    case registerRoute(key: String, flow: String, RouteFields)
    case editRoute(key: String, RouteFields)
    case move(Verb, Target)
    /// The definition in flagd's format, checked by the command. `isStrict` refuses warnings.
    case putFlag(key: String, definition: JSONValue, isStrict: Bool)
    case removeFlag(key: String)
    case setFlagState(key: String, isEnabled: Bool)
    case putCohort(key: String, rule: JSONValue, isStrict: Bool)
    case removeCohort(key: String)
    case putBuild(Build)
    case createKey(AccessKey)
    case revokeKey(id: String)
}

/// What a change did, before it is stored.
public struct AppliedCommand: Sendable {
    /// The state after the change; its revision is one higher exactly when something changed.
    public let configuration: Configuration
    /// What to store; empty when the command repeats what already holds.
    public let rows: [ConfigurationRow]
    /// Nil when nothing changed.
    public let audit: AuditDraft?

    public init(configuration: Configuration, rows: [ConfigurationRow], audit: AuditDraft?) {
        self.configuration = configuration
        self.rows = rows
        self.audit = audit
    }
}

/// An audit entry without its place in the chain.
public struct AuditDraft: Hashable, Sendable {
    public let actor: Actor
    /// `route.advance`, `flag.put`, …
    public let action: String
    /// `route/trips.edit`, `flag/new-search`, …
    public let subject: String
    public let reason: String
    public let before: JSONValue
    public let after: JSONValue

    public init(actor: Actor, action: String, subject: String, reason: String, before: JSONValue, after: JSONValue) {
        self.actor = actor
        self.action = action
        self.subject = subject
        self.reason = reason
        self.before = before
        self.after = after
    }
}

/// Why a command was refused. Nothing has changed.
public struct RolloutError: Error, Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    public let code: String
    public let message: String
    public let details: JSONValue

    public init(code: String, message: String, details: JSONValue = .null) {
        self.code = code
        self.message = message
        self.details = details
    }
}
