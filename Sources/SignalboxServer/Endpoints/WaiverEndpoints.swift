import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/waivers` and `/v1/routes/{key}/waivers`
    mutating func addWaiverEndpoints() {
        add(
            .get, "/v1/waivers", .read,
            About("All waivers, those that have ended included").takes(query: "route", .key)
                .gives(Schema.standing.with(["waivers": .list(of: .waiver)])),
            use: listWaivers)
        add(
            .post, "/v1/routes/:key/waivers", .change,
            About("Lets a route pass by one gate for a while; for the roles approver and admin")
                .changes(
                    takes: ["gate": .string, "move?": .string.orNull, "expiresAt": .time],
                    shows: ["waiver?": .waiver], creates: true
                ).fails(.routeNotFound, .waiverNotAllowed, .tooMany),
            use: grantWaiver)
        add(
            .delete, "/v1/routes/:key/waivers", .change,
            About("Ends a waiver").takes(query: "gate", .string, isRequired: true).takes(query: "move", .string)
                .removes().fails(.routeNotFound, .waiverNotFound),
            use: revokeWaiver)
    }
}

extension Schema {
    fileprivate static let waiver = Schema.named(
        "Waiver",
        [
            "route": .key, "gate": .string, "move": .string.orNull, "approver": .string, "reason": .string,
            "grantedAt": .time, "expiresAt": .time, "holds": .boolean,
        ])
}

/// Takes `route`? from the query. Gives 200 and the waivers by route and gate, each with whether it still `holds`.
@Sendable private func listWaivers(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let route = request.query("route")
    let configuration = call.snapshot.configuration
    let waivers = configuration.waivers.values.filter { route == nil || $0.id.route == route }
        .sorted { $0.id < $1.id }
    let now = call.now
    return configuration.reply(["waivers": .objects(waivers.map { $0.shown(at: now) })])
}

/// Takes `gate`, `move`?, `expiresAt`; the approver is whoever asks. Gives 201, or 200 for a repeat or a renewal. Fails
/// with 404 `route_not_found`, 403 `not_allowed`, 409 `waiver_not_allowed`, `too_many`, 400 `invalid_field`.
@Sendable private func grantWaiver(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["gate", "move", "expiresAt"])
    let id = Waiver.ID(
        route: request.parameter("key"), gate: try body.members.requiredString("gate"),
        move: try body.members.optionalString("move"))
    let command = Command.grantWaiver(id, expiresAt: try body.members.requiredInteger("expiresAt"))
    let now = call.now
    return try call.service.change(body.request(command, by: call), for: request) {
        $0.waivers[id].map { ["waiver": .object($0.shown(at: now))] } ?? [:]
    }
}

/// Takes `gate`, `move`? and the reason from the query. Gives 200. Fails with 404 `route_not_found`, `waiver_not_found`.
@Sendable private func revokeWaiver(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    guard let gate = request.query("gate") else { throw ServiceError(.invalidQuery, "Name a \"gate\".") }
    let id = Waiver.ID(route: request.parameter("key"), gate: gate, move: request.query("move"))
    return try remove(.revokeWaiver(id), request, call)
}

extension Waiver {
    /// As `/v1/waivers` shows it.
    fileprivate func shown(at now: Int64) -> JSONObject {
        var shown = json
        shown["holds"] = .bool(holds(at: now))
        return shown
    }
}
