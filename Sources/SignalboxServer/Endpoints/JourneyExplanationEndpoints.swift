import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/journeys/{id}/explain`
    mutating func addJourneyExplanationEndpoints() {
        add(
            .post, "/v1/journeys/:id/explain", .read,
            About("Says how the choices of a stored journey came about")
                .takes(["context?": Schema.anyObject.orNull], isOptional: true).gives(.journeyExplanation)
                .fails(.invalidJourneyID, .journeyNotFound, .invalidContext).usesStore(),
            use: explainJourney)
    }
}

extension Schema {
    private static let segment = Schema.named(
        "Segment",
        [
            "segment": .integer, "reason": .either([.words(of: SegmentReason.self), .null]), "build": .string,
            "epoch": .integer, "revision": .integer, "openedAt": .time, "attempt": .string.orNull,
            "origin": .either([.words(of: PinOrigin.self), .null]), "choices": .map(.named("Choice", choice)),
        ])
    fileprivate static let journeyExplanation = Schema.named(
        "JourneyExplanation",
        [
            "id": .string, "segment": .integer, "flow": .key, "unit": .string, "build": .string, "epoch": .integer,
            "revision": .integer, "startedAt": .time, "outcome": .either([.named("Outcome", outcome), .null]),
            "basis": .words(of: PastConfiguration.Found.Basis.self), "notes": .list(of: .string),
            "segments": .list(of: segment), "conflict": .either([conflict, .null]), "bucket": .integer.orNull,
            "holdoutBucket": .integer.orNull, "of": .integer,
            "routes": .map([
                "stored": .named("Choice", choice), "recomputed": .either([.named("Choice", choice), .null]),
                "agrees": .boolean.orNull, "stage?": .words(of: Stage.self), "status?": .words(of: RouteStatus.self),
                "step?": .integer, "plan?": plan.orNull, "inBuild?": .list(of: .words(of: Renderer.self)),
                "exclusion?": exclusion,
            ]),
        ])
}

/// Says how the choices of a stored journey came about, as far as that can be told.
///
/// Takes `context`?, the attributes that the app sent at the start: they are not stored. Gives 200. Fails with 404
/// `journey_not_found`, 400 `invalid_journey_id`, `invalid_context`.
@Sendable private func explainJourney(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try journeyID(request)
    let body = request.body.isEmpty ? JSONObject() : try request.json(limits: .context)
    try body.refuseMembers(besides: ["context"])
    guard let attributes = (body.optional("context") ?? [:]).object else {
        throw ServiceError(.invalidContext, "\"context\" must be an object of attributes.")
    }
    let service = call.service
    let current = call.snapshot
    let parked = request.park()
    service.store.journey(id) { outcome in
        guard case .committed(let record?) = outcome else {
            return parked.complete(
                with: service.response(to: outcome) { _ in throw ServiceError.noJourney(id) })
        }
        service.store.history(of: id) { outcome in
            guard let history = outcome.value else {
                return parked.complete(with: service.response(to: outcome) { _ in Response(status: 200) })
            }
            PastConfiguration(
                service: service, current: current, epoch: record.pin.epoch, revision: record.pin.revision,
                for: .read
            ).find { past in
                // Compiling an earlier revision takes milliseconds that neither the reader nor a worker has.
                Task.detached(priority: .utility) {
                    let explanation = JourneyExplanation(
                        record: record, history: history, past: past, current: current, attributes)
                    parked.complete(with: .json(.object(explanation.json)))
                }
            }
        }
    }
    return .later
}
