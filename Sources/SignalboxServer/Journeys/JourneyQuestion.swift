import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

/// Who asks for the renderers of which flow: what a start and a resume have in common.
struct JourneyQuestion {
    let flow: CompiledFlow
    let unit: String
    let build: BuildID
    let context: EvaluationContext
    let claims: [String: RendererSet]?

    /// Fails with 400 `invalid_build`, `invalid_context`, `invalid_field`, 404 `flow_not_found`, 409 `flow_has_no_routes`.
    init(_ reader: JourneyReader, in snapshot: Snapshot) throws {
        let key = try reader.text("flow", limit: 128)
        guard let flow = snapshot.flows[key] else { throw snapshot.configuration.noFlow(key) }
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

    /// What each route of the flow offers, in the order of their keys.
    func offers(_ call: borrowing Call, at time: Int64) -> [RouteOffer] {
        let snapshot = call.snapshot
        let index = snapshot.builds[build.text]
        return flow.routes.map { route in
            snapshot.offer(
                of: route, among: route.renderers(in: index, claimed: claims.map { $0[route.key] ?? [] }),
                for: context, at: time, using: call.worker.scratch)
        }
    }
}

/// What a journey's id must not be shared between.
///
/// Only the app of the build counts: an update in between does not end a journey.
struct JourneyIdentity: Sendable {
    let flow: String
    let unit: String
    let app: String

    init(_ question: borrowing JourneyQuestion) {
        flow = question.flow.flow.key
        unit = question.unit
        app = question.build.app
    }

    func matches(_ pin: JourneyDraft) -> Bool { pin.flow == flow && pin.unit == unit && pin.build.app == app }

    static let mismatch = ServiceError(
        .journeyMismatch, "This id belongs to another journey; mint an id of your own for each journey.")
}
