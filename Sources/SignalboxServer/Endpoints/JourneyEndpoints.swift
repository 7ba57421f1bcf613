import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage
import Synchronization

extension API {
    /// `/v1/journeys`
    mutating func addJourneyEndpoints() {
        add(
            .post, "/v1/journeys", .startJourneys,
            About("Starts a journey: pins its choices, once").takes(.start).gives(201, .journey).gives(.journey)
                .startsJourneys().fails(.journeyMismatch),
            use: startJourney)
        add(
            .post, "/v1/journeys/batch", .startJourneys,
            About("Starts up to \(JourneyBatch.most) journeys in one commit")
                .takes(["journeys": .list(.start, most: JourneyBatch.most)])
                .gives(["journeys": .list(of: .startedInBatch)]),
            bodyLimit: 1 << 20, use: startJourneys)
        add(
            .get, "/v1/journeys/:id", .evaluate,
            About("One journey").gives(.journey).fails(.invalidJourneyID, .journeyNotFound).usesStore(),
            use: showJourney)
        add(
            .post, "/v1/journeys/:id/outcome", .startJourneys,
            About("Records how a journey ended, once").takes(.outcome)
                .gives(["id": .string, "outcome": .outcome, "nameRegistered?": .boolean])
                .fails(.invalidJourneyID, .journeyNotFound, .outcomeConflict, .outcomeUnknown).usesStore(),
            use: finishJourney)
    }
}

/// Pins the choices of a journey, once: the same id gets the same answer from then on.
///
/// Takes `id`, `flow`, `unit`, `build`, `context`?, `has`?, `parent`?, `decided`?. Gives 201 new or 200 existing; 200 with `pinned: false` and the
/// deterministic choices when the store cannot commit. Fails as `JourneyStart` does, and with 400
/// `journey_id_out_of_window`, 409 `journey_mismatch`, `journey_too_deep`.
@Sendable private func startJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let start = try JourneyStart(request, call)
    try call.service.rateLimits.admit(unit: start.question.unit, of: call.principal, at: call.now)
    let answers = StartAnswers(start, call)
    if let record = call.service.store.recentJourney(start.id) { return .now(answers.existing(record)) }
    let (service, now) = (call.service, call.now)
    if start.isInWindow(at: now) {
        guard let draft = start.draft(call) else {
            let open = OpenStart(start, call)
            let parked = request.park()
            service.draft(of: open) { result in
                switch result {
                case .success(let draft): service.pin(draft, answering: parked, answers)
                case .failure(let error): parked.complete(with: Failures.response(for: error))
                }
            }
            return .later
        }
        service.pin(draft, answering: request.park(), answers)
        return .later
    }
    // A flow whose lifetime was shortened still has journeys that began under the longer one.
    let (id, refusal) = (start.id, start.outOfWindow(at: now))
    guard JourneyStart.longestWindow(at: now).contains(id.milliseconds) else { throw refusal }
    let parked = request.park()
    service.store.journey(id) { outcome in
        parked.complete(
            with: service.response(to: outcome) { record in
                guard let record else { throw refusal }
                return answers.existing(record)
            })
    }
    return .later
}

extension Service {
    /// Stores a journey and answers with what stands.
    fileprivate func pin(_ draft: JourneyDraft, answering parked: ParkedRequest, _ answers: StartAnswers) {
        store.startJourney(draft) { [self] outcome in
            if let started = outcome.value { return parked.complete(with: answers.started(started)) }
            let code = outcome.failureCode
            // What was pinned before stays, whatever the store can write now.
            store.journey(draft.id) { [self] found in
                let record = found.value ?? nil
                if record == nil { unpinnedStarts.add(1, ordering: .relaxed) }
                parked.complete(with: record.map { answers.existing($0) } ?? answers.unpinned(draft, because: code))
            }
        }
    }
}

/// Gives 200 and the journey. Fails with 400 `invalid_journey_id`, 404 `journey_not_found`.
@Sendable private func showJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try journeyID(request)
    let view = JourneyView(call)
    if let record = call.service.store.recentJourney(id) { return .now(view.response(record)) }
    let service = call.service
    let parked = request.park()
    service.store.journey(id) { outcome in
        parked.complete(
            with: service.response(to: outcome) { record in
                guard let record else { throw ServiceError.noJourney(id) }
                return view.response(record)
            })
    }
    return .later
}

/// Records how a journey ended, once.
///
/// Takes `status` and `name`?. Gives 200 and `{"id", "outcome"}`, for a repeat too, and `nameRegistered: false` for a name
/// that no contract of the flow has: an app may be newer than its contract, so that is counted and not refused. Fails with 404 `journey_not_found`, 409
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
    let (service, flows) = (call.service, call.snapshot.flows)
    let parked = request.park()
    service.store.finishJourney(id, as: JourneyOutcome(status: status, name: name)) { outcome in
        parked.complete(
            with: service.response(to: outcome) { finished in
                switch finished {
                case .recorded(let ended, let flow), .repeated(let ended, let flow):
                    var body: JSONObject = [
                        "id": .string(id.description), "outcome": .object(ended.outcome.json),
                    ]
                    if let name, let known = flows[flow]?.outcomes, !known.contains(name) {
                        body["nameRegistered"] = false
                        if case .recorded = finished { service.unknownOutcomes.add(1, ordering: .relaxed) }
                    }
                    return .json(.object(body))
                case .conflict(let first):
                    throw ServiceError(
                        .outcomeConflict, "This journey has ended already, in another way.",
                        details: ["outcome": .object(first.outcome.json)])
                case .notFound: throw ServiceError.noJourney(id)
                }
            })
    }
    return .later
}

func journeyID(_ request: borrowing Request) throws -> JourneyID {
    guard let id = request.withParameter(at: 0, { JourneyID(text: $0) }) else {
        throw ServiceError(.invalidJourneyID, "The id in the path must be a UUID of version 7.")
    }
    return id
}

extension ServiceError {
    static func noJourney(_ id: JourneyID) -> ServiceError {
        ServiceError(.journeyNotFound, "There is no journey \(id) here; it was never started, or it is long over.")
    }
}

extension StoreOutcome {
    /// Why nothing was stored, or perhaps nothing.
    var failureCode: StoreError.Code {
        switch self {
        case .rejected(let error): (error as? StoreError)?.code ?? .failed
        case .unknown(let error): error.code
        case .committed: .failed
        }
    }
}
