import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/journeys/{id}/resume` and `/conflict`
    mutating func addJourneyResumeEndpoints() {
        add(
            .post, "/v1/journeys/:id/resume", .startJourneys,
            About("Goes on with a journey in another process: keeps its choices, or opens its next segment")
                .takes(.resume).gives(.journey).gives(201, .journey)
                .fails(.invalidJourneyID, .journeyNotFound, .journeyMismatch, .journeyExpired, .tooManySegments)
                .fails(.invalidBuild, .invalidContext, .flowHasNoRoutes).fails(.flowNotFound).usesStore(),
            use: resumeJourney)
        add(
            .post, "/v1/journeys/:id/conflict", .startJourneys,
            About("Tells that a device shows something else than what is pinned").takes(["choices": .shownChoices])
                .gives(["id": .string, "conflict": .either([.conflict, .null])])
                .fails(.invalidJourneyID, .journeyNotFound, .outcomeUnknown).usesStore(),
            use: reportConflict)
    }
}

/// Goes on with a journey that another process began.
///
/// Takes what a start takes but for `id`, `parent` and `decided`, and `attempt`, `lastProcessDied`?. Gives 201 and the
/// journey when the next segment opened, otherwise 200: nothing had to change, the attempt had been made before, or the
/// journey has ended, perhaps by this (`interrupted`). Gives 200 with `pinned: false` and what would be pinned when the
/// store cannot commit. Fails with 404 `journey_not_found`, 409 `journey_mismatch`, `journey_expired`, `too_many_segments`.
@Sendable private func resumeJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let ask = try ResumeRequest(request, try journeyID(request), call)
    try call.service.rateLimits.admit(unit: ask.identity.unit, of: call.principal, at: call.now)
    let service = call.service
    if let record = service.store.recentJourney(ask.id) {
        if let response = try ask.answer(whenStands: record) { return .now(response) }
        service.store(ask, answering: request.park())
        return .later
    }
    let parked = request.park()
    // Most resumes change nothing, and need not wait for the writer.
    service.store.journey(ask.id) { outcome in
        guard let record = outcome.value ?? nil else {
            return parked.complete(
                with: service.response(to: outcome) { _ in throw ServiceError.noJourney(ask.id) })
        }
        do {
            if let response = try ask.answer(whenStands: record) { return parked.complete(with: response) }
            service.store(ask, answering: parked)
        } catch {
            parked.complete(with: service.failure(error))
        }
    }
    return .later
}

extension Service {
    /// Stores what a resume changes and answers with what stands.
    fileprivate func store(_ ask: ResumeRequest, answering parked: ParkedRequest) {
        store.resumeJourney(ask.resume) { [self] outcome in
            switch outcome {
            case .committed(let resumed?): parked.complete(with: ask.answer(resumed))
            case .committed(nil): parked.complete(with: failure(ServiceError.noJourney(ask.id)))
            case .rejected(let error as ServiceError): parked.complete(with: failure(error))
            case .rejected, .unknown:
                let code = outcome.failureCode
                store.journey(ask.id) { [self] found in
                    guard let record = found.value ?? nil else {
                        return parked.complete(
                            with: response(to: found) { _ in throw ServiceError.noJourney(ask.id) })
                    }
                    do {
                        parked.complete(with: try ask.answer(unstoredAfter: record, because: code))
                    } catch {
                        parked.complete(with: failure(error))
                    }
                }
            }
        }
    }
}

/// Tells what a device shows although another pin stands: it had shown its own before it heard of the other.
///
/// Takes `choices`, the renderer by route. Gives 200 and `{"id", "conflict"}`: the first report that was made, null when
/// the device shows what is pinned. Nothing switches. Fails with 404 `journey_not_found`.
@Sendable private func reportConflict(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try journeyID(request)
    let body = try request.json()
    try body.refuseMembers(besides: ["choices"])
    let told = try body.requiredObject("choices")
    guard (1...JourneyReader.mostChoices).contains(told.entries.count) else {
        throw RolloutError.invalidField("/choices", "1 to \(JourneyReader.mostChoices) routes")
    }
    var choices: [String: Renderer] = [:]
    for (route, renderer) in told.entries {
        guard Key.isValid(route), let renderer = renderer.string.flatMap({ Renderer(rawValue: $0) }) else {
            throw RolloutError.invalidField("/choices/\(route)", "legacy or migrated, for the key of a route")
        }
        choices[route] = renderer
    }
    let service = call.service
    let parked = request.park()
    service.store.reportConflict(of: id, showing: choices) { outcome in
        parked.complete(
            with: service.response(to: outcome) { reported in
                let conflict: JSONObject?
                switch reported {
                case .stands(let stored, _): conflict = stored.json
                case .none: conflict = nil
                case .notFound: throw ServiceError.noJourney(id)
                }
                return .json(["id": .string(id.description), "conflict": .members(conflict)])
            })
    }
    return .later
}

extension JourneyConflict {
    /// `{"segment", "choices", "reportedAt"}`
    var json: JSONObject {
        let choices = choices.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value.rawValue)) }
        return [
            "segment": .integer(segment), "choices": .object(JSONObject(choices)), "reportedAt": .integer(reportedAt),
        ]
    }
}
