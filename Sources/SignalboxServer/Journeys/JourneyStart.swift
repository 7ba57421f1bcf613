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

    /// Fails with 400 `invalid_json`, `invalid_journey_id`, `invalid_build`, `invalid_field`, `unknown_field`, 404
    /// `flow_not_found`, 409 `flow_has_no_routes`.
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
        try reader.refuseUnknownMembers()
        id = try reader.id()
        let key = try reader.text("flow", limit: 128)
        guard let flow = call.snapshot.flows[key] else { throw call.snapshot.configuration.noFlow(key) }
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
        context = try reader.context()
    }

    /// Whether a new journey may have this id: its time must lie between the flow's lifetime ago and a day ahead.
    func isInWindow(at now: Int64) -> Bool {
        ((now - flow.flow.journeyLifetimeSeconds * 1000)...(now + 86_400_000)).contains(id.milliseconds)
    }

    /// The times of ids that a journey may have which was pinned while another lifetime or another clock held.
    static func longestWindow(at now: Int64) -> ClosedRange<Int64> { (now - 8 * 86_400_000)...(now + 8 * 86_400_000) }

    func outOfWindow(at now: Int64) -> ServiceError {
        ServiceError(
            .journeyIDOutOfWindow,
            "The id's time is too old or too far ahead; correct the clock by serverTime and mint another id.",
            details: ["serverTime": .integer(now), "idTime": .integer(id.milliseconds)])
    }

    /// The journey as it is to be pinned: one choice a route, all from one revision.
    func draft(_ call: borrowing Call) -> JourneyDraft {
        let snapshot = call.snapshot
        let (now, scratch, index) = (call.now, call.worker.scratch, snapshot.builds[build.text])
        var choices = JourneyChoices()
        for route in flow.routes {
            let claimed = claims.map { $0[route.key] ?? [] }
            let outcome = snapshot.flags.outcome(at: route.index, for: context, at: now / 1000, using: scratch)
            let choice = snapshot.choice(
                of: route, among: route.renderers(in: index, claimed: claimed), whenFlagGives: outcome, for: context,
                at: now, using: scratch)
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
