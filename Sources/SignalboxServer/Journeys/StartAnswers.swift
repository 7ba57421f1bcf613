import HTTPServer
import Rollouts
import RouteContract
import Storage

/// How one start is answered, whatever is found.
struct StartAnswers: Sendable {
    private let identity: JourneyIdentity
    private let parent: JourneyID?
    private let decided: DecidedChoices?
    private let view: JourneyView

    init(_ start: JourneyStart, _ call: borrowing Call) {
        identity = JourneyIdentity(start.question)
        parent = start.parent
        decided = start.decided
        view = JourneyView(call, askedBy: start.question.build)
    }

    func started(_ started: StartedJourney) -> Response {
        var response = existing(started.record)
        if started.isNew { response.status = 201 }
        return response
    }

    /// The journey that stands, if it is the one that was asked for; what another one is, is nobody's business.
    func existing(_ record: JourneyRecord) -> Response {
        guard identity.matches(record.pin), record.pin.parent == parent else {
            return Failures.response(for: JourneyIdentity.mismatch)
        }
        let contradicts = decided?.contradicts(record.pin.choices.all ?? []) ?? false
        return view.response(record, contradicts: contradicts)
    }

    /// The choices that would have been pinned.
    func unpinned(_ draft: JourneyDraft, because code: StoreError.Code) -> Response {
        view.unpinned(JourneyRecord(segment: 1, pin: draft), because: code)
    }
}

/// How a journey looks to one who asks now.
struct JourneyView: Sendable {
    private let snapshot: Snapshot
    private let now: Int64
    private let isBuildRegistered: Bool

    /// Without a build nothing is said about whether it is registered.
    init(_ call: borrowing Call, askedBy build: BuildID? = nil) {
        snapshot = call.snapshot
        now = call.now
        isBuildRegistered = build.map { call.snapshot.configuration.builds[$0] != nil } ?? true
    }

    /// 200 and the journey.
    func response(_ record: JourneyRecord, contradicts: Bool = false) -> Response {
        Response(status: 200, body: body(record, isPinned: true, contradicts: contradicts))
    }

    /// What would have been pinned.
    func unpinned(_ record: JourneyRecord, because code: StoreError.Code) -> Response {
        var response = Response(status: 200, body: body(record, isPinned: false, contradicts: false))
        response.note = "not pinned: \(code.rawValue)"
        return response
    }

    private func body(_ record: JourneyRecord, isPinned: Bool, contradicts: Bool) -> [UInt8] {
        JourneyAnswer.body(
            of: record, isPinned: isPinned, isBuildRegistered: isBuildRegistered,
            ends: record.outcome == nil && snapshot.ends(record.pin, at: now), contradicts: contradicts)
    }
}
