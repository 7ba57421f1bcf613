import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/journeys`
    mutating func addJourneyEndpoints() {
        add(.post, "/v1/journeys", .startJourneys, use: startJourney)
        add(.get, "/v1/journeys/:id", .evaluate, use: showJourney)
        add(.post, "/v1/journeys/:id/outcome", .startJourneys, use: finishJourney)
    }
}

/// Pins the choices of a journey, once: the same id gets the same answer from then on.
///
/// Takes `id`, `flow`, `unit`, `build`, `context`?, `has`?. Gives 201 new or 200 existing; 200 with `pinned: false` and the
/// deterministic choices when the store cannot commit. Fails as `JourneyStart` does, and with 409 `journey_mismatch`.
@Sendable private func startJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let start = try JourneyStart(request, call)
    let identity = start.identity
    if let record = call.service.store.recentJourney(start.id) {
        return .now(identity.response(to: record, isNew: false))
    }
    let draft = start.draft(call)
    let parked = request.park()
    call.service.store.startJourney(draft) { outcome in
        switch outcome {
        case .committed(let started): parked.complete(with: identity.response(to: started.record, isNew: started.isNew))
        case .rejected, .unknown:
            parked.complete(with: Response(status: 200, body: JourneyAnswer.body(of: draft, isPinned: false)))
        }
    }
    return .later
}

/// Gives 200 and the journey. Fails with 400 `invalid_journey_id`, 404 `journey_not_found`.
@Sendable private func showJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try journeyID(request)
    if let record = call.service.store.recentJourney(id) { return .now(record.response) }
    let parked = request.park()
    call.service.store.journey(id) { outcome in
        parked.complete(
            with: Service.response(to: outcome) { record in
                guard let record else { throw notFound(id) }
                return record.response
            })
    }
    return .later
}

/// Records how a journey ended, once.
///
/// Takes `status` and `name`?. Gives 200 and `{"id", "outcome"}`, for a repeat too. Fails with 404 `journey_not_found`, 409
/// `outcome_conflict` (with the outcome that stands).
@Sendable private func finishJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try journeyID(request)
    let body = try request.json()
    try body.refuseMembers(besides: ["status", "name"])
    guard let status = OutcomeStatus(rawValue: try body.requiredString("status")) else {
        let words = OutcomeStatus.allCases.map(\.rawValue).joined(separator: ", ")
        throw RolloutError.invalidField("/status", "one of \(words)")
    }
    let name = try body.optionalString("name")
    guard name.map({ Key.isValid($0) }) ?? true else {
        throw RolloutError.invalidField("/name", "a name of letters, digits, '.', '_' and '-', at most 128")
    }
    let parked = request.park()
    call.service.store.finishJourney(id, as: JourneyOutcome(status: status, name: name)) { outcome in
        parked.complete(
            with: Service.response(to: outcome) { finished in
                switch finished {
                case .recorded(let ended), .repeated(let ended):
                    return .json(["id": .string(id.description), "outcome": .object(ended.outcome.json)])
                case .conflict(let first):
                    throw ServiceError(
                        .outcomeConflict, "This journey has ended already, in another way.",
                        details: ["outcome": .object(first.outcome.json)])
                case .notFound: throw notFound(id)
                }
            })
    }
    return .later
}

private func journeyID(_ request: borrowing Request) throws -> JourneyID {
    guard let id = request.withParameter(at: 0, { JourneyID(text: $0) }) else {
        throw ServiceError(.invalidJourneyID, "The id in the path must be a UUID of version 7.")
    }
    return id
}

private func notFound(_ id: JourneyID) -> ServiceError {
    ServiceError(.journeyNotFound, "There is no journey \(id) here; it was never started, or it is long over.")
}

extension JourneyRecord {
    /// 200 and the journey.
    fileprivate var response: Response {
        Response(
            status: 200, body: JourneyAnswer.body(of: pin, segment: segment, outcome: outcome, isPinned: true))
    }
}

extension JourneyIdentity {
    /// The journey that stands, if it is the one that was asked for; what another one is, is nobody's business.
    fileprivate func response(to record: JourneyRecord, isNew: Bool) -> Response {
        guard matches(record.pin) else {
            return Failures.response(
                for: ServiceError(
                    .journeyMismatch, "This id belongs to another journey; mint an id of your own for each journey."))
        }
        var response = record.response
        if isNew { response.status = 201 }
        return response
    }
}
