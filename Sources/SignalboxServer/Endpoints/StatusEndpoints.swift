import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/status`
    mutating func addStatusEndpoints() {
        add(
            .get, "/v1/status", .read,
            About("What needs a person now, the most urgent first, and how far all routes have come")
                .takes(query: "owner", .string).takes(query: "overdue", .words(["true", "false"]))
                .takes(query: "limit", .integer(1...mostNeeds))
                .gives(
                    Schema.standing.with([
                        "at": .time, "routes": .integer, "stages": .counts(of: Stage.self),
                        "statuses": .counts(of: RouteStatus.self), "kinds": .counts(of: Need.Kind.self),
                        "needs": .list(of: .need), "more": .integer,
                    ])
                ),
            use: showStatus)
    }
}

/// The most needs of one answer.
private let mostNeeds: Int64 = 1_000

extension Schema {
    fileprivate static let need = Schema.named(
        "Need",
        [
            "kind": .words(of: Need.Kind.self), "urgency": .integer(0...4), "route": .key, "owner": .string.orNull,
            "since": Schema.time.orNull, "why": .string, "remedy": .string,
        ])

    /// A number for every word.
    fileprivate static func counts<Word>(of type: Word.Type) -> Schema
    where Word: CaseIterable & RawRepresentable<String> {
        .object(Word.allCases.map { ($0.rawValue, .integer) })
    }
}

/// Takes from the query `owner` and `overdue`, which keep only those needs that this owner answers for or that are overdue,
/// and `limit` (1 to 1000, default 100). Gives 200. Fails with 400 `invalid_query`.
///
/// Everything that it looks at is in memory: a screen that is left open may ask every few seconds.
@Sendable private func showStatus(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let (owner, isOverdue) = (request.query("owner"), try request.flag("overdue") ?? false)
    let limit = try request.number("limit", 1...mostNeeds) ?? 100
    let configuration = call.snapshot.configuration
    let facts = Facts(units: call.service.watch.units, evidence: call.service.store.evidence)
    var status = configuration.programmeStatus(facts: facts, at: call.now)
    status.needs.removeAll { ($0.owner != owner && owner != nil) || (isOverdue && !$0.kind.isOverdue) }
    var body: JSONObject = ["at": .integer(call.now)]
    for (name, value) in status.json(mostNeeds: Int(limit)).entries { body[name] = value }
    return configuration.reply(body)
}
