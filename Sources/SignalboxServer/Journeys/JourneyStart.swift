import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// The request to start a journey, read and checked.
struct JourneyStart {
    let id: JourneyID
    let question: JourneyQuestion
    let parent: JourneyID?
    let decided: DecidedChoices?

    /// Fails with 400 `invalid_json`, `invalid_journey_id`, `unknown_field`, and as `JourneyQuestion` does.
    init(_ request: borrowing Request, _ call: borrowing Call) throws {
        let document = call.worker.document
        guard !request.body.isEmpty else {
            throw ServiceError(.bodyRequired, "Send {\"id\", \"flow\", \"unit\", \"build\"} as the body.")
        }
        try document.parse(request.body, limits: .context)
        try self.init(document, at: document.root, call)
    }

    /// Reads a start from a node of a document.
    init(_ document: JSONDocument, at node: JSONDocument.Node, _ call: borrowing Call) throws {
        let reader = JourneyReader(document, at: node)
        try reader.refuseMembers(besides: ["id", "parent", "decided"])
        id = try reader.id()
        question = try JourneyQuestion(reader, in: call.snapshot)
        parent = try reader.optionalID("parent")
        guard parent != id else { throw RolloutError.invalidField("/parent", "the id of another journey") }
        decided = try reader.decided()
    }

    /// Whether a new journey may have this id: its time must lie between the flow's lifetime ago and a day ahead.
    func isInWindow(at now: Int64) -> Bool { ((now - lifetime)...(now + 86_400_000)).contains(id.milliseconds) }

    /// The times of ids that a journey may have which was pinned while another lifetime or another clock held.
    static func longestWindow(at now: Int64) -> ClosedRange<Int64> { (now - 8 * 86_400_000)...(now + 8 * 86_400_000) }

    func outOfWindow(at now: Int64) -> ServiceError {
        ServiceError(
            .journeyIDOutOfWindow,
            "The id's time is too old or too far ahead; correct the clock by serverTime and mint another id.",
            details: ["serverTime": .integer(now), "idTime": .integer(id.milliseconds)])
    }

    /// The journey as it is to be pinned: one choice a route, all from one revision. Nil when a parent or a device has a
    /// say in it: see `OpenStart`.
    func draft(_ call: borrowing Call) -> JourneyDraft? {
        guard parent == nil, decided == nil else { return nil }
        let snapshot = call.snapshot
        let (now, scratch, index) = (call.now, call.worker.scratch, snapshot.builds[question.build.text])
        var choices = JourneyChoices()
        for route in question.flow.routes {
            let claimed = question.claims.map { $0[route.key] ?? [] }
            let answer = snapshot.answer(of: route, for: question.context, at: now, using: scratch)
            let choice = snapshot.choice(
                of: route, among: route.renderers(in: index, claimed: claimed), whenFlagGives: answer,
                for: question.context, at: now, using: scratch)
            if let choice { choices.append(choice, for: route.key) }
        }
        return JourneyDraft(
            id: id, flow: question.flow.flow.key, unit: question.unit, build: question.build,
            epoch: snapshot.configuration.epoch, revision: snapshot.configuration.revision,
            startedAt: id.milliseconds, expiresAt: id.milliseconds + lifetime, choices: choices)
    }

    /// Milliseconds.
    var lifetime: Int64 { question.flow.flow.journeyLifetimeSeconds * 1000 }
}
