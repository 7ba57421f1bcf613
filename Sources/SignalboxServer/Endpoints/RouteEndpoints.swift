import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/routes`, but for the verbs
    mutating func addRouteEndpoints() {
        add(
            .get, "/v1/routes", .read, About("All routes").gives(Schema.standing.with(["routes": .list(of: .route)])),
            use: listRoutes)
        add(
            .post, "/v1/routes", .change,
            About("Registers a route")
                .changes(
                    takes: Schema.routeFields.with(["key": .key, "flow": .key]), shows: ["route": .route], creates: true
                ).failsAsFields().fails(.restoreNotProven).fails(.flowNotFound, .routeExists, .keyTaken, .invalidKey),
            use: registerRoute)
        add(
            .get, "/v1/routes/:key", .read,
            About("A route with what is next and its journeys in flight")
                .gives(
                    Schema.routeMembers.with(.standing).with([
                        "legalVerbs": .list(of: .string), "live": .live, "contractHash": .string.orNull,
                        "next": .either([["move": .string, "gates": .list(of: .gate)], .null]),
                        "firstLegacyAnswerMilliseconds?": .integer,
                        "evidenceOfOtherContracts?": .list(of: .words(of: EvidenceItem.Kind.self)),
                    ])
                ).fails(.routeNotFound).usesStore(),
            use: showRoute)
        add(
            .patch, "/v1/routes/:key", .change,
            About("Edits a route").changes(
                takes: .routeFields, shows: ["route": .route, "warnings": .contractWarnings], tries: true
            ).failsAsFields()
                .fails(.routeNotFound, .restoreNotProven),
            use: editRoute)
        add(
            .post, "/v1/routes/:key/rehearse", .change,
            About("Rehearses a flip to migrated and back with a cohort, or ends that")
                .changes(
                    takes: ["cohort?": .key, "seconds?": .integer(Rehearsal.seconds), "end?": .boolean],
                    shows: ["route": .route], tries: true
                ).fails(.routeNotFound, .cohortNotFound, .illegalMove, .invalidPlan),
            use: rehearse)
        add(
            .get, "/v1/routes/:key/gates", .read,
            About("The gates of the next move")
                .gives(Schema.standing.with(.gates)).fails(.routeNotFound).usesStore(),
            use: showGates)
        add(
            .get, "/v1/gates", .read,
            About("The gates of the next move of every route")
                .gives(Schema.standing.with(["routes": .list(of: .gates)])).usesStore(),
            use: showAllGates)
        add(
            .get, "/v1/routes/:key/flag", .read,
            About("A route as a flag in flagd's format").gives(.anyObject).fails(.routeNotFound, .flowNotFound),
            use: showAsFlag)
    }
}

extension Schema {
    /// The gates of the next move of one route.
    fileprivate static let gates: Schema = [
        "route": .key, "status": .words(of: RouteStatus.self), "move": .string.orNull, "gates": .list(of: .gate),
    ]
}

extension About {
    fileprivate func failsAsFields() -> About {
        fails(
            .cohortNotFound, .routeNotFound, .invalidPlan, .invalidShare, .requiresCycle, .planShrinks, .planWidens,
            .illegalMove)
    }
}

/// Gives 200 and all routes by key.
@Sendable private func listRoutes(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let routes = configuration.routes.values.sorted { $0.key < $1.key }
    return configuration.reply(["routes": .objects(routes.map(\.json))])
}

/// Takes `key`, `flow` and any field. Gives 201, or 200 for a repeat. Fails with 404 `flow_not_found`, 409 `route_exists`,
/// `key_taken`, and what editing fails with.
@Sendable private func registerRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    let key = try body.members.requiredString("key")
    let fields = try RouteFields(json: body.members, besides: body.common.union(["key", "flow"]))
    let command = Command.registerRoute(key: key, flow: try body.members.requiredString("flow"), fields)
    return try call.service.change(body.request(command, by: call), for: request) { $0.shown(route: key) }
}

/// Takes the fields that are to change. Gives 200. Fails with 404 `route_not_found`, `cohort_not_found`, 400 `invalid_plan`,
/// `invalid_share`, `requires_cycle`, 409 `plan_shrinks`, `plan_widens`. `warnings` tell when evidence counts no more.
@Sendable private func editRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    let key = request.parameter("key")
    let fields = try RouteFields(json: body.members, besides: body.common)
    return try call.service.perform(body.request(.editRoute(key: key, fields), by: call), for: request) { applied in
        var shown = applied.configuration.shown(route: key)
        shown["warnings"] = applied.contractWarnings
        return shown
    }
}

/// Takes `cohort` and `seconds`? (of each half, 600), or `end: true`. Gives 200. Fails with 404 `route_not_found`,
/// `cohort_not_found`, 409 `illegal_move`.
@Sendable private func rehearse(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: ["cohort", "seconds", "end"])
    let key = request.parameter("key")
    let command: Command =
        if try body.members.optionalBool("end") ?? false {
            .endRehearsal(route: key)
        } else {
            .rehearse(
                route: key, cohort: try body.members.requiredString("cohort"),
                seconds: try body.members.optionalInteger("seconds") ?? 600)
        }
    return try call.service.change(body.request(command, by: call), for: request) { $0.shown(route: key) }
}

/// Gives 200 and the route with what is next and how many journeys are in flight. Fails with 404 `route_not_found`.
@Sendable private func showRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let now = call.now
    let service = call.service
    let parked = request.park()
    service.countFacts(at: now) { outcome in
        parked.complete(
            with: service.response(to: outcome) { facts in
                var body = route.json
                body["legalVerbs"] = .strings(configuration.legalVerbs(of: route))
                let live = facts.livePins?[route.key] ?? LivePins()
                body["next"] = configuration.next(of: route, facts: facts, at: now)
                body["live"] = .object(live.total)
                body["contractHash"] = .text(route.contract?.hash)
                let others = facts.kindsOfOtherContracts(for: route, at: now)
                if !others.isEmpty { body["evidenceOfOtherContracts"] = .strings(others.map(\.rawValue)) }
                body["firstLegacyAnswerMilliseconds"] = service.watch.firstLegacyAfter(of: route).map { .integer($0) }
                return .json(.object(configuration.standing(body)))
            })
    }
    return .later
}

/// Gives 200 and the gates of the next move. Fails with 404 `route_not_found`.
@Sendable private func showGates(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let (service, now) = (call.service, call.now)
    let parked = request.park()
    service.countFacts(at: now) { outcome in
        parked.complete(
            with: service.response(to: outcome) { facts in
                .json(.object(configuration.standing(configuration.shownGates(of: route, facts: facts, at: now))))
            })
    }
    return .later
}

/// Gives 200 and the gates of the next move of every route, by key.
@Sendable private func showAllGates(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let (configuration, service, now) = (call.snapshot.configuration, call.service, call.now)
    let parked = request.park()
    service.countFacts(at: now) { outcome in
        parked.complete(
            with: service.response(to: outcome) { facts in
                let routes = configuration.routes.values.sorted { $0.key < $1.key }
                let shown = routes.map { configuration.shownGates(of: $0, facts: facts, at: now) }
                return .json(.object(configuration.standing(["routes": .objects(shown)])))
            })
    }
    return .later
}

/// Gives 200 and the route as the flag that decides its renderer. Fails with 404 `route_not_found`.
@Sendable private func showAsFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let flow = try configuration.flow(route.flow)
    let flag = route.projection(
        in: flow, overrides: configuration.overrides(of: route.key), builds: configuration.builds.values)
    return .now(.json(.object(flag)))
}

extension LivePins {
    /// `{"legacy": n, "migrated": n}` over all builds.
    fileprivate var total: JSONObject {
        Self.json(legacy: legacy.values.reduce(0, +), migrated: migrated.values.reduce(0, +))
    }

    private static func json(legacy: Int, migrated: Int) -> JSONObject {
        ["legacy": .integer(Int64(legacy)), "migrated": .integer(Int64(migrated))]
    }
}

extension Configuration {
    /// `{"route": …}`
    func shown(route key: String) -> JSONObject {
        routes[key].map { ["route": .object($0.json)] } ?? [:]
    }

    /// `{"route", "status", "move", "gates"}`
    fileprivate func shownGates(of route: RouteRollout, facts: Facts, at now: Int64) -> JSONObject {
        let next = next(of: route, facts: facts, at: now)
        return [
            "route": .string(route.key), "status": .string(route.status.rawValue), "move": next["move"] ?? .null,
            "gates": next["gates"] ?? [],
        ]
    }

    /// `{"move", "gates"}` of the move that `advance` would make, or null at the end.
    fileprivate func next(of route: RouteRollout, facts: Facts, at now: Int64) -> JSONValue {
        guard let move = route.nextMove else { return .null }
        let gates = gates(of: route, toward: move, facts: facts, at: now)
        return ["move": .string(move.name), "gates": .array(gates.map { .object($0.json) })]
    }
}
