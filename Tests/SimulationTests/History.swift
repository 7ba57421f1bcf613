import FlagEvaluation

/// What a request was for, as far as its answer can be judged by it.
enum Purpose: Sendable {
    case start(Start)
    case showJourney(String)
    /// Goes on with a journey by an attempt.
    case resume(Start, attempt: String)
    /// The outcome that the journey is to have.
    case finish(String, JSONValue)
    /// The reason names the change in the audit and is used once.
    case change(reason: String, kind: ChangeKind)
    /// Reads one thing by its subject in the audit.
    case showItem(String)
    case ready
    case evaluate(route: String, build: String)
    /// Shows a key that was revoked when it was asked with.
    case openWithRevokedKey
}

/// What a change may do, as far as the rules for rollbacks go.
enum ChangeKind: Sendable {
    case rollback
    /// A verb after which a route may give migrated again.
    case widening
    case other
    case dryRun
}

/// A request to start a journey.
struct Start: Hashable, Sendable {
    let id: String
    /// The time inside the id.
    let idTime: Int64
    var flow: String
    var unit: String
    var build: String
    var email: String?
    /// Renderers that the client says it has, of every route of the flow; nil when it says nothing.
    var claims: [String]?

    var app: String { String(build.prefix { $0 != ":" }) }

    var json: JSONValue {
        var body: JSONObject = [
            "id": .string(id), "flow": .string(flow), "unit": .string(unit), "build": .string(build),
        ]
        if let email { body["context"] = ["email": .string(email)] }
        if let claims {
            let list = JSONValue.array(claims.map { .string($0) })
            body["has"] = .object(JSONObject(Sample.routes(of: flow).map { ($0, list) }))
        }
        return .object(body)
    }
}

/// A request and what was received for it.
struct Exchange: Sendable {
    struct Answer: Sendable {
        /// When it was received, on the history's own clock.
        let at: Int
        let status: Int
        let json: JSONValue
        var code: String? { json["error"]?["code"]?.string }
    }

    let purpose: Purpose
    /// When it was sent, on the history's own clock.
    let asked: Int
    /// The service's time of day then.
    let serverTime: Int64
    /// Nil when the process died over it: nobody knows what became of it.
    var answer: Answer?
}

/// One sweep that was asked for.
struct SweepEvent: Sendable {
    let at: Int
    /// Journeys with ids before this time may be gone; nil when the sweep certainly deleted nothing.
    let deletedBefore: Int64?
    /// The time of day that a good clock would have shown.
    let trueTime: Int64
}

/// Everything that was asked and answered in one run, and what stood in the store at its end.
struct History: Sendable {
    var exchanges: [Exchange] = []
    var sweeps: [SweepEvent] = []
    /// What went wrong in a way that no answer shows, such as a store that does not open.
    var faults: [String] = []
    /// All entries of the audit at the end, and what verifying it said.
    var audit: [JSONValue] = []
    var auditFault: JSONValue = .null
    /// The configuration at the end by subject, as the endpoints list it.
    var configuration: [String: JSONValue] = [:]
    var finalRevision: Int64 = 0
    /// What happened, line by line, for whoever repeats a failed run.
    var log: [String] = []
}
