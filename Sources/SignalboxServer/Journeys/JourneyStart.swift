import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// The request to start a journey, read and checked.
struct JourneyStart {
    let id: JourneyID
    let flow: CompiledFlow
    let unit: String
    let build: BuildID
    private let context: EvaluationContext
    private let claims: [String: RendererSet]?

    /// Fails with 400 `invalid_json`, `invalid_journey_id`, `journey_id_out_of_window`, `invalid_build`,
    /// `invalid_field`, `unknown_field`, 404 `flow_not_found`, 409 `flow_has_no_routes`.
    init(_ request: borrowing Request, _ call: borrowing Call) throws {
        let document = call.worker.document
        guard !request.body.isEmpty else {
            throw ServiceError(.bodyRequired, "Send {\"id\", \"flow\", \"unit\", \"build\"} as the body.")
        }
        try document.parse(request.body, limits: .context)
        let reader = JourneyReader(document)
        try reader.refuseUnknownMembers()
        id = try reader.id()
        let key = try reader.text("flow", limit: 128)
        guard let flow = call.snapshot.flows[key] else { throw RolloutError.flowNotFound(key) }
        guard !flow.routes.isEmpty else {
            throw ServiceError(.flowHasNoRoutes, "Flow \"\(key)\" has no routes yet, so there is nothing to pin.")
        }
        self.flow = flow
        unit = try reader.text("unit", limit: 256)
        let build = try reader.text("build", limit: 160)
        guard let build = BuildID(build) else {
            throw ServiceError(.invalidBuild, "\"\(build)\" is not a build; it is written app:number, as in app:730.")
        }
        self.build = build
        claims = try reader.claims()
        context = try reader.context(unit: unit, build: build.text)
        try checkWindow(at: call.now)
    }

    /// The id's own time must lie between the flow's lifetime ago and a day ahead.
    private func checkWindow(at now: Int64) throws {
        let earliest = now - flow.flow.journeyLifetimeSeconds * 1000
        guard (earliest...(now + 86_400_000)).contains(id.milliseconds) else {
            throw ServiceError(
                .journeyIDOutOfWindow,
                "The id's time is too old or too far ahead; correct the clock by serverTime and mint another id.",
                details: ["serverTime": .integer(now), "idTime": .integer(id.milliseconds)])
        }
    }

    /// The journey as it is to be pinned: one choice a route, all from one revision.
    func draft(_ call: borrowing Call) -> JourneyDraft {
        let snapshot = call.snapshot
        var choices = JourneyChoices()
        for route in flow.routes {
            let claimed = claims.map { $0[route.key] ?? [] }
            let choice = snapshot.choice(
                of: route, in: build, claimed: claimed, for: context, at: call.now, using: call.worker.scratch)
            if let choice { choices.append(choice, for: route.key) }
        }
        return JourneyDraft(
            id: id, flow: flow.flow.key, unit: unit, build: build, epoch: snapshot.configuration.epoch,
            revision: snapshot.configuration.revision, startedAt: id.milliseconds,
            expiresAt: id.milliseconds + flow.flow.journeyLifetimeSeconds * 1000, choices: choices)
    }

    var identity: JourneyIdentity { JourneyIdentity(flow: flow.flow.key, unit: unit, app: build.app) }
}

/// What a journey's id must not be shared between.
///
/// Only the app of the build counts: an update in between does not end a journey.
struct JourneyIdentity: Sendable {
    let flow: String
    let unit: String
    let app: String

    func matches(_ pin: JourneyDraft) -> Bool { pin.flow == flow && pin.unit == unit && pin.build.app == app }
}
