import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/routes`, but for the verbs
    mutating func addRouteEndpoints() {
        add(.get, "/v1/routes", .read, use: listRoutes)
        add(.post, "/v1/routes", .change, use: registerRoute)
        add(.get, "/v1/routes/:key", .read, use: showRoute)
        add(.patch, "/v1/routes/:key", .change, use: editRoute)
        add(.get, "/v1/routes/:key/gates", .read, use: showGates)
        add(.get, "/v1/routes/:key/flag", .read, use: showAsFlag)
        add(.get, "/v1/routes/:key/journeys", .read, use: showJourneys)
    }
}

/// Gives 200 and all routes by key.
@Sendable private func listRoutes(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let routes = call.snapshot.configuration.routes.values.sorted { $0.key < $1.key }
    return .now(.json(["routes": .array(routes.map { .object($0.json) })]))
}

/// Takes `key`, `flow` and any field. Gives 201, or 200 for a repeat. Fails with 404 `flow_not_found`, 409 `route_exists`,
/// `key_taken`, and what editing fails with.
@Sendable private func registerRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    let key = try body.members.requiredString("key")
    let fields = try RouteFields(json: body.members, besides: ChangeBody.common.union(["key", "flow"]))
    let command = Command.registerRoute(key: key, flow: try body.members.requiredString("flow"), fields)
    return call.service.change(body.request(command, by: call), for: request) { $0.shown(route: key) }
}

/// Takes the fields that are to change. Gives 200. Fails with 404 `route_not_found`, `cohort_not_found`, 400 `invalid_plan`,
/// `invalid_share`, `requires_cycle`, 409 `plan_shrinks`, `plan_widens`.
@Sendable private func editRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    let key = request.parameter("key")
    let fields = try RouteFields(json: body.members, besides: ChangeBody.common)
    return call.service.change(body.request(.editRoute(key: key, fields), by: call), for: request) {
        $0.shown(route: key)
    }
}

/// Gives 200 and the route with what is next and how many journeys are in flight. Fails with 404 `route_not_found`.
@Sendable private func showRoute(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let now = call.now
    let parked = request.park()
    call.service.store.liveJourneys(of: route.flow, at: now) { outcome in
        parked.complete(
            with: Service.response(to: outcome) { journeys in
                var body = route.json
                body["legalVerbs"] = .array(route.legalVerbs.map { .string($0) })
                body["next"] = configuration.next(of: route, at: now)
                body["live"] = .object(Live(journeys, of: route.key).total)
                return .json(.object(body))
            })
    }
    return .later
}

/// Gives 200 and the gates of the next move. Fails with 404 `route_not_found`.
@Sendable private func showGates(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    var body: JSONObject = ["route": .string(route.key)]
    let next = configuration.next(of: route, at: call.now)
    body["move"] = next["move"] ?? .null
    body["gates"] = next["gates"] ?? .array([])
    return .now(.json(.object(body)))
}

/// Gives 200 and the route as the flag that decides its renderer. Fails with 404 `route_not_found`.
@Sendable private func showAsFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    guard let flow = configuration.flows[route.flow] else { throw RolloutError.flowNotFound(route.flow) }
    return .now(.json(.object(route.projection(in: flow))))
}

/// Gives 200 and the journeys in flight by renderer and build: the drain view. Fails with 404 `route_not_found`.
@Sendable private func showJourneys(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let route = try call.snapshot.configuration.route(request.parameter("key"))
    let parked = request.park()
    call.service.store.liveJourneys(of: route.flow, at: call.now) { outcome in
        parked.complete(
            with: Service.response(to: outcome) { journeys in
                let live = Live(journeys, of: route.key)
                return .json([
                    "route": .string(route.key), "live": .object(live.total), "builds": .array(live.builds),
                ])
            })
    }
    return .later
}

/// The journeys in flight of one route.
private struct Live {
    private var counts: [BuildID: [Renderer: Int]] = [:]

    init(_ journeys: [LiveJourneys], of route: String) {
        for group in journeys where group.route == route {
            counts[group.build, default: [:]][group.renderer, default: 0] += group.count
        }
    }

    /// `{"legacy": n, "migrated": n}` over all builds.
    var total: JSONObject {
        Self.json { renderer in counts.values.reduce(0) { $0 + ($1[renderer] ?? 0) } }
    }

    /// The same for each build, by app and number.
    var builds: [JSONValue] {
        counts.sorted { ($0.key.app, $0.key.number) < ($1.key.app, $1.key.number) }.map { build, counts in
            var body = Self.json { counts[$0] ?? 0 }
            body["build"] = .string(build.text)
            return .object(body)
        }
    }

    private static func json(_ count: (Renderer) -> Int) -> JSONObject {
        JSONObject(Renderer.allCases.map { ($0.rawValue, .integer(Int64(count($0)))) })
    }
}

extension Configuration {
    /// The route of that key. Fails with `route_not_found`.
    func route(_ key: String) throws -> RouteRollout {
        guard let route = routes[key] else { throw RolloutError.routeNotFound(key) }
        return route
    }

    /// `{"route": …}`
    func shown(route key: String) -> JSONObject {
        routes[key].map { ["route": .object($0.json)] } ?? [:]
    }

    /// `{"move", "gates"}` of the move that `advance` would make, or null at the end.
    fileprivate func next(of route: RouteRollout, at now: Int64) -> JSONValue {
        guard let move = route.nextMove else { return .null }
        let gates = gates(of: route, toward: move, at: now)
        return ["move": .string(move.name), "gates": .array(gates.map { .object($0.json) })]
    }
}
