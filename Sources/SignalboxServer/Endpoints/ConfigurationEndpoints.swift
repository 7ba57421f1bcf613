import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// The environment as one document: `/v1/config`
    mutating func addConfigurationEndpoints() {
        add(
            .get, "/v1/config/export", .read,
            About("Everything that is configured, but keys, as one canonical document").gives(.anyObject),
            use: exportConfiguration)
        add(
            .post, "/v1/config/apply", .change,
            About("Makes things as a document says, all or nothing, where that widens nothing")
                .changes(
                    takes: ["document": .anyObject, "replace?": .boolean, "reshuffle?": .boolean],
                    shows: applied, tries: true
                )
                .fails(
                    .invalidDocument, .documentBaseUnknown, .documentConflict, .flowMismatch, .routesInFlight,
                    .removalNotPossible, .invalidFlag, .invalidCohort, .invalidPlan, .reshuffles, .routeNotFound,
                    .flowNotFound, .cohortNotFound
                )
                .fails(
                    .cohortCycle, .cohortInUse, .requiresCycle, .keyTaken, .bucketingFixed, .buildExists, .flowExists,
                    .rendererDeleted, .invalidKey, .invalidShare, .invalidLifetime, .routeLocked, .overrideNotAllowed),
            bodyLimit: 16 << 20, use: applyConfiguration)
        add(
            .post, "/v1/config/rollback", .change,
            About("Brings back an earlier revision, where that widens nothing")
                .changes(takes: ["to": .integer, "reshuffle?": .boolean], shows: applied, tries: true)
                .fails(.documentBaseUnknown, .flowMismatch, .cohortInUse, .keyTaken, .reshuffles),
            use: rollBackConfiguration)
    }

    private var applied: Schema {
        [
            "changes": .list(
                of: Schema.named("Difference", ["path": .string, "kind": .string, "members": .anyObject])),
            "changesTotal": .integer,
            "remaining": .list(of: Schema.named("Remaining", ["path": .string, "verb": .string])),
            "remainingTotal": .integer, "warnings": .contractWarnings,
        ]
    }
}

/// Gives 200 and the document, in canonical JSON: equal configurations give equal bytes.
@Sendable private func exportConfiguration(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let (configuration, parked) = (call.snapshot.configuration, request.park())
    // On a thread of its own: writing thousands of flags would hold up the worker.
    Task.detached(priority: .utility) {
        let document = ConfigurationDocument(of: configuration)
        parked.complete(with: Response(status: 200, body: JSONValue.object(document.json).canonicalJSON))
    }
    return .later
}

/// Takes `document`, `replace`? and `reshuffle`?. Gives 200 with `changes` (what was changed) and `remaining` (what only
/// verbs do). Without `replace` the document is an edit of the revision that it names: 409 `document_conflict` when
/// others changed the same, `document_base_unknown` when nothing leads back to that revision.
@Sendable private func applyConfiguration(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true, limits: ConfigurationDocument.limits(wrappedIn: 1))
    try body.refuseMembers(besides: ["document", "replace", "reshuffle"])
    guard let sent = body.members["document"] else { throw RolloutError.invalidField("/document", "an export") }
    let document = try ConfigurationDocument(sent)
    let allowsReshuffle = try body.members.optionalBool("reshuffle") ?? false
    let isWhole = try body.members.optionalBool("replace") ?? false
    let current = call.snapshot
    let service = call.service
    let applying = try DocumentRequest(body, by: call)
    guard isWhole || document.environment == current.configuration.environment else {
        throw RolloutError(
            .documentBaseUnknown,
            "The document is of \(document.environment), not of \(current.configuration.environment): replace makes "
                + "this environment as it says.")
    }
    let parked = request.park()
    if isWhole {
        applying.answer(parked, document, .current, allowsReshuffle)
        return .later
    }
    let past = PastConfiguration(
        service: service, current: current, epoch: document.epoch, revision: document.revision, for: .change)
    past.find { past in
        guard let earlier = past.configuration, past.notes.isEmpty else {
            return parked.complete(with: service.failure(past.refusal))
        }
        applying.answer(parked, document, .earlier(ConfigurationDocument(of: earlier)), allowsReshuffle)
    }
    return .later
}

/// Takes `to`, a revision of this epoch, and `reshuffle`?. Gives 200 as apply does; what came since and is never removed
/// stays. Fails with 409 `document_base_unknown`.
@Sendable private func rollBackConfiguration(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: ["to", "reshuffle"])
    let revision = try body.members.requiredInteger("to")
    let allowsReshuffle = try body.members.optionalBool("reshuffle") ?? false
    guard revision >= 0 else { throw RolloutError.invalidField("/to", "a revision") }
    let current = call.snapshot
    let service = call.service
    let applying = try DocumentRequest(body, by: call)
    let parked = request.park()
    let past = PastConfiguration(
        service: service, current: current, epoch: current.configuration.epoch, revision: revision, for: .change)
    past.find { past in
        guard let earlier = past.configuration, past.notes.isEmpty else {
            return parked.complete(with: service.failure(past.refusal))
        }
        applying.answer(parked, ConfigurationDocument(of: earlier), .rollback, allowsReshuffle)
    }
    return .later
}

/// A request to apply a document, once it is known what the document is based on.
private struct DocumentRequest: Sendable {
    let service: Service
    private let current: Snapshot
    private let actor: Actor
    private let reason: String
    private let now: Int64
    private let isDryRun: Bool
    private let expected: ExpectedRevision?
    private static let mostListed = 1_000

    init(_ body: ChangeBody, by call: borrowing Call) throws(RolloutError) {
        service = call.service
        current = call.snapshot
        actor = call.principal.actor
        now = call.now
        (reason, isDryRun, expected) = (body.reason, body.isDryRun, try body.expected())
    }

    func answer(
        _ parked: ParkedRequest, _ document: ConfigurationDocument, _ base: DocumentBase, _ allowsReshuffle: Bool
    ) {
        let change = ChangeRequest(
            command: .applyDocument(document, base, allowsReshuffle: allowsReshuffle), actor: actor, reason: reason,
            now: now, isDryRun: isDryRun, expected: expected)
        let show = { @Sendable [now] (applied: AppliedCommand) in Self.shown(applied, document, base, at: now) }
        // Journeys are only asked for when the document drops routes.
        guard base != .rollback, !document.routesLacking(from: current.configuration).isEmpty else {
            return service.answerLater(toLong: change, for: parked, answer: show)
        }
        service.countFacts(at: now) { [service] outcome in
            guard let facts = outcome.value else {
                return parked.complete(with: service.response(to: outcome) { _ in Response(status: 200) })
            }
            var change = change
            change.facts = facts
            service.answerLater(toLong: change, for: parked, answer: show)
        }
    }

    private static func shown(
        _ applied: AppliedCommand, _ document: ConfigurationDocument, _ base: DocumentBase, at now: Int64
    ) -> JSONObject {
        // What others changed while the document waited for the writer is none of its changes: its audit entry knows.
        let old = ConfigurationDocument(items: applied.audit?.before["items"], partOf: applied.configuration)
        let new = ConfigurationDocument(items: applied.audit?.after["items"], partOf: applied.configuration)
        let changes = old.differences(to: new)
        let remaining = document.remaining(in: applied.configuration, base: base, at: now)
        return [
            "changes": .objects(changes.prefix(mostListed).map { $0.json(from: old, to: new) }),
            "changesTotal": .integer(Int64(changes.count)),
            "remaining": .objects(remaining.prefix(mostListed).map(\.json)),
            "remainingTotal": .integer(Int64(remaining.count)), "warnings": applied.contractWarnings,
        ]
    }
}

extension PastConfiguration.Found {
    /// Why nothing can be based on it.
    fileprivate var refusal: any Error {
        guard !isBusy else { return StoreError(.overloaded, notes.first ?? "Ask again.") }
        return RolloutError(
            .documentBaseUnknown,
            "Nothing leads back to that revision. \(notes.first ?? "It is unknown.")",
            details: ["notes": .strings(notes.prefix(20))])
    }
}
