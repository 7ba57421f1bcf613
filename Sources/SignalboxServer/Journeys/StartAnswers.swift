import HTTPServer
import Rollouts
import RouteContract
import Storage

/// How one start is answered, whatever is found.
struct StartAnswers: Sendable {
    private let identity: JourneyIdentity
    private let isBuildRegistered: Bool

    init(_ start: JourneyStart, _ call: borrowing Call) {
        identity = start.identity
        isBuildRegistered = call.snapshot.configuration.builds[start.build] != nil
    }

    func started(_ started: StartedJourney) -> Response {
        var response = existing(started.record)
        if started.isNew { response.status = 201 }
        return response
    }

    /// The journey that stands, if it is the one that was asked for; what another one is, is nobody's business.
    func existing(_ record: JourneyRecord) -> Response {
        guard identity.matches(record.pin) else {
            return Failures.response(
                for: ServiceError(
                    .journeyMismatch, "This id belongs to another journey; mint an id of your own for each journey."))
        }
        return record.response(isBuildRegistered: isBuildRegistered)
    }

    /// The choices that would have been pinned.
    func unpinned(_ draft: JourneyDraft, because code: StoreError.Code) -> Response {
        var response = Response(
            status: 200, body: JourneyAnswer.body(of: draft, isPinned: false, isBuildRegistered: isBuildRegistered))
        response.note = "not pinned: \(code.rawValue)"
        return response
    }
}

extension JourneyRecord {
    /// 200 and the journey.
    var response: Response { response(isBuildRegistered: true) }

    fileprivate func response(isBuildRegistered: Bool) -> Response {
        Response(
            status: 200,
            body: JourneyAnswer.body(
                of: pin, segment: segment, outcome: outcome, isPinned: true, isBuildRegistered: isBuildRegistered))
    }
}
