import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// `/v1/routes/{key}/journeys`
    mutating func addDrainEndpoints() {
        add(
            .get, "/v1/routes/:key/journeys", .read,
            About("The journeys in flight, by renderer, age and build")
                .gives(Schema.drain.with(["route": .key, "countedAt": .time, "builds": .list(of: drainOfBuild)]))
                .fails(.routeNotFound).usesStore(),
            use: showJourneys)
    }

    private var drainOfBuild: Schema { Schema.live.with(["build": .string, "registered": .boolean]) }
}

extension Schema {
    private static let ages: Schema = [
        "under1h": .integer, "under6h": .integer, "under24h": .integer, "older": .integer,
    ]
    fileprivate static let drain: Schema = [
        "live": live, "ages": ["legacy": ages, "migrated": ages],
        "lastEnds": ["legacy": Schema.time.orNull, "migrated": Schema.time.orNull],
        "segments": .map(.integer), "unverified": .integer, "conflicts": .integer,
    ]
}

/// Gives 200 and the journeys in flight: the drain view. `lastEnds` is when the last of them expires, unless another
/// begins. Fails with 404 `route_not_found`.
@Sendable private func showJourneys(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let service = call.service
    let parked = request.park()
    service.liveJourneys(at: call.now) { outcome in
        parked.complete(
            with: service.response(to: outcome) { count in
                let journeys = count.journeys.filter { $0.route == route.key }
                var body = Drain(journeys).json
                body["route"] = .string(route.key)
                body["countedAt"] = .integer(count.countedAt)
                body["builds"] = .objects(Drain.builds(journeys, in: configuration))
                return .json(.object(body))
            })
    }
    return .later
}

/// What the journeys in flight on one route add up to.
private struct Drain {
    private var live: [Renderer: Int] = [:]
    private var ages: [Renderer: [Int]] = [:]
    private var lastEnds: [Renderer: Int64] = [:]
    private var opened: [SegmentReason: Int] = [:]
    private var unverified = 0
    private var conflicts = 0

    init(_ journeys: [LiveJourneys]) {
        for group in journeys {
            live[group.renderer, default: 0] += group.count
            ages[group.renderer] = zip(ages[group.renderer] ?? [0, 0, 0, 0], group.ages).map { $0 + $1 }
            lastEnds[group.renderer] = max(lastEnds[group.renderer] ?? .min, group.lastEnd)
            opened.merge(group.opened) { $0 + $1 }
            unverified += group.unverified
            conflicts += group.conflicts
        }
    }

    var json: JSONObject {
        [
            "live": .object(each { .integer(Int64(live[$0] ?? 0)) }), "ages": .object(each(agesJSON)),
            "lastEnds": .object(each { .number(lastEnds[$0]) }), "segments": .object(segments),
            "unverified": .integer(Int64(unverified)), "conflicts": .integer(Int64(conflicts)),
        ]
    }

    /// `{"build", "registered", "legacy", "migrated"}` for each build, by app and number.
    static func builds(_ journeys: [LiveJourneys], in configuration: Configuration) -> [JSONObject] {
        let pins = LivePins.byRoute(journeys).values.first ?? LivePins()
        return Set(pins.legacy.keys).union(pins.migrated.keys).sorted().map { build in
            [
                "build": .string(build.text), "registered": .bool(configuration.builds[build] != nil),
                "legacy": .integer(Int64(pins.legacy[build] ?? 0)),
                "migrated": .integer(Int64(pins.migrated[build] ?? 0)),
            ]
        }
    }

    private func each(_ value: (Renderer) -> JSONValue) -> JSONObject {
        JSONObject(Renderer.allCases.map { ($0.rawValue, value($0)) })
    }

    private func agesJSON(of renderer: Renderer) -> JSONValue {
        let counts = ages[renderer] ?? [0, 0, 0, 0]
        let names = ["under1h", "under6h", "under24h", "older"]
        return .object(JSONObject(zip(names, counts).map { ($0, .integer(Int64($1))) }))
    }

    private var segments: JSONObject {
        JSONObject(
            SegmentReason.allCases.compactMap { reason in opened[reason].map { (reason.rawValue, .integer(Int64($0))) }
            })
    }
}
