import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract

extension API {
    /// `/v1/overrides`
    mutating func addOverrideEndpoints() {
        add(
            .get, "/v1/overrides", .read,
            About("All overrides, those that have ended included").takes(query: "route", .key)
                .gives(Schema.standing.with(["overrides": .list(of: .override)])),
            use: listOverrides)
        add(
            .post, "/v1/overrides", .change,
            About("Lets one unit see a renderer for a while")
                .changes(
                    takes: [
                        "route": .key, "unit": .string, "renderer": .words(of: Renderer.self), "owner": .string,
                        "expiresAt": .time,
                    ], shows: ["override": .override], creates: true
                )
                .fails(.routeNotFound, .overrideNotAllowed),
            use: setOverride)
        add(
            .delete, "/v1/overrides", .change,
            About("Ends the override of one unit, or all of a route")
                .takes(query: "route", .key, isRequired: true).takes(query: "unit", .string)
                .takes(query: "all", .boolean).removes().fails(.routeNotFound),
            use: clearOverrides)
    }
}

extension Schema {
    fileprivate static let override = Schema.named(
        "Override",
        [
            "route": .key, "unit": .string, "renderer": .words(of: Renderer.self), "owner": .string,
            "reason": .string, "expiresAt": .time, "holds": .boolean,
        ])
}

/// Takes `route`? from the query. Gives 200 and the overrides by route and unit, each with whether it still `holds`.
@Sendable private func listOverrides(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let route = request.query("route")
    let overrides = configuration.overrides.values.filter { route == nil || $0.id.route == route }
        .sorted { $0.id < $1.id }
    let now = call.now
    return configuration.reply(["overrides": .objects(overrides.map { $0.shown(at: now) })])
}

/// Takes `route`, `unit`, `renderer`, `owner`, `expiresAt`. Gives 201, or 200 for a repeat or an edit. Fails with 404
/// `route_not_found`, 409 `override_not_allowed`, 400 `invalid_field`.
@Sendable private func setOverride(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["route", "unit", "renderer", "owner", "expiresAt"])
    let members = body.members
    let override = Override(
        id: Override.ID(route: try members.requiredString("route"), unit: try members.requiredString("unit")),
        renderer: try members.requiredWord("renderer"), owner: try members.requiredString("owner"),
        reason: body.reason, expiresAt: try members.requiredInteger("expiresAt"))
    let now = call.now
    return try call.service.change(body.request(.setOverride(override), by: call), for: request) { configuration in
        configuration.overrides[override.id].map { ["override": .object($0.shown(at: now))] } ?? [:]
    }
}

/// Takes `route`, `unit` or `all=true`, and the reason from the query. Gives 200. Fails with 404 `route_not_found`, 400
/// `invalid_query`.
@Sendable private func clearOverrides(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let unit = request.query("unit")
    guard let route = request.query("route"), (unit == nil) == (try request.flag("all") ?? false) else {
        throw ServiceError(.invalidQuery, "Name a \"route\", and either a \"unit\" or all=true.")
    }
    return try remove(.clearOverrides(route: route, unit: unit), request, call)
}

extension Override {
    /// As `/v1/overrides` shows it.
    fileprivate func shown(at now: Int64) -> JSONObject {
        var shown = json
        shown["holds"] = .bool(holds(at: now))
        return shown
    }
}
