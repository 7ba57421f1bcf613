import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// The request to go on with a journey, read and checked, with all that a decision needs: what is decided on is known
/// only when the newest segment is.
struct ResumeRequest: Sendable {
    let id: JourneyID
    let identity: JourneyIdentity
    private let attempt: JourneyID
    private let build: BuildID
    private let offers: [RouteOffer]
    private let lastProcessDied: Bool
    private let epoch: Int64
    private let revision: Int64
    private let now: Int64
    private let view: JourneyView

    /// Fails with 400 `invalid_json`, `unknown_field`, `invalid_field`, and as `JourneyQuestion` does.
    init(_ request: borrowing Request, _ id: JourneyID, _ call: borrowing Call) throws {
        let document = call.worker.document
        guard !request.body.isEmpty else {
            throw ServiceError(.bodyRequired, "Send {\"attempt\", \"flow\", \"unit\", \"build\"} as the body.")
        }
        try document.parse(request.body, limits: .context)
        let reader = JourneyReader(document, at: document.root)
        try reader.refuseMembers(besides: ["attempt", "lastProcessDied"])
        guard let attempt = try reader.optionalID("attempt") else {
            throw RolloutError.invalidField(
                "/attempt", "a UUID of version 7, new for each resume and kept when it is sent again")
        }
        let question = try JourneyQuestion(reader, in: call.snapshot)
        self.id = id
        self.attempt = attempt
        identity = JourneyIdentity(question)
        build = question.build
        lastProcessDied = try reader.flag("lastProcessDied")
        offers = question.offers(call, at: call.now)
        epoch = call.snapshot.configuration.epoch
        revision = call.snapshot.configuration.revision
        now = call.now
        view = JourneyView(call, askedBy: question.build)
    }

    /// What the store is to do, which decides once more.
    var resume: JourneyResume {
        JourneyResume(
            id: id, attempt: attempt, build: build, epoch: epoch, revision: revision, now: now,
            decide: { try decision(on: $0) })
    }

    /// What the resume comes to. Fails with `journey_mismatch`, `journey_expired`, `too_many_segments`.
    private func decision(on record: JourneyRecord) throws -> SegmentDecision {
        guard identity.matches(record.pin) else { throw JourneyIdentity.mismatch }
        if record.outcome != nil || record.pin.opening?.attempt == attempt { return .stands }
        guard now < record.pin.expiresAt else {
            throw ServiceError(
                .journeyExpired, "The journey's lifetime is over; begin another, with an id of its own.",
                details: ["expiresAt": .integer(record.pin.expiresAt)])
        }
        let pinned = record.pin.choices.all ?? []
        let choices = Dictionary(pinned.map { ($0.route, $0.choice) }, uniquingKeysWith: { first, _ in first })
        switch Resumption(of: choices, offers: offers, lastProcessDied: lastProcessDied) {
        case .stands: return .stands
        case .ends: return .ends
        case .opens(let reason, let choices):
            guard record.segment < JourneyResume.mostSegments else {
                throw ServiceError(
                    .tooManySegments,
                    "The journey has \(record.segment) segments; begin another, with an id of its own.")
            }
            return .opens(
                reason, JourneyChoices(choices.sorted { $0.key < $1.key }.map { (route: $0.key, choice: $0.value) }))
        }
    }

    /// The answer when the resume changes nothing; nil when it would.
    func answer(whenStands record: JourneyRecord) throws -> Response? {
        try decision(on: record) == .stands ? view.response(record) : nil
    }

    /// The answer when what stands is stored.
    func answer(_ resumed: ResumedJourney) -> Response {
        guard identity.matches(resumed.record.pin) else { return Failures.response(for: JourneyIdentity.mismatch) }
        var response = view.response(resumed.record)
        if resumed.opened != nil { response.status = 201 }
        return response
    }

    /// The answer when the store cannot commit: what would have been stored.
    func answer(unstoredAfter record: JourneyRecord, because code: StoreError.Code) throws -> Response {
        switch try decision(on: record) {
        case .stands, .ends: return view.response(record)
        case .opens(let reason, let choices):
            return view.unpinned(resume.next(after: record, reason, choices), because: code)
        }
    }
}
