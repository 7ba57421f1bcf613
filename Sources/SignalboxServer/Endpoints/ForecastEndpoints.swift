import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract

extension API {
    /// `/v1/forecast`
    mutating func addForecastEndpoint() {
        add(
            .get, "/v1/forecast", .read,
            About("How many releases are left by two models, and how fast routes really came on")
                .takes(query: "share", .share).takes(query: "flow", .key).takes(query: "stage", .words(goals))
                .takes(query: "days", .integer(windowDays)).gives(.forecast)
                .fails(.flowNotFound).usesStore(),
            use: showForecast)
    }
}

/// The days back to which releases and moves are looked at.
private let windowDays: ClosedRange<Int64> = Int64(Throughput.leastDays)...366
private let usualDays: Int64 = 90
/// At the first stage every route is from the beginning.
private let goals = Stage.allCases.dropFirst().map(\.rawValue)

extension Schema {
    private static let milestone: Schema = [
        "part": .share, "releases": .number.orNull, "wholeReleases": .integer.orNull,
    ]
    private static let dated = Schema.named("Milestone", milestone.with(["at": .time.orNull]))

    fileprivate static let forecast = Schema.named(
        "Forecast",
        [
            "flow": .key.orNull, "stage": .words(goals), "share": .share,
            "routes": ["total": .integer, "done": .integer, "left": .integer, "islands": .integer],
            "linear": [
                "fromStart": .list(of: milestone), "fromNow": .list(of: dated), "routesPerRelease": .number,
            ],
            "randomTouching": [
                "fromStart": .list(of: milestone), "fromNow": .list(of: dated), "leftAfterRelease": .share,
            ],
            "releases": [
                "days": .integer, "apps": .map(.integer), "limitingApp": .string.orNull,
                "intervalDays": .number.orNull,
            ],
            "observed": [
                "since": .time, "until": .time, "reached": .integer, "fellBack": .integer,
                "perRelease": .number.orNull, "per30Days": .number.orNull, "at": .time.orNull,
            ],
        ])
}

/// Takes from the query `share` (0 to 100 000, what a release touches, default 5 000), `flow`, `stage` (where a route is
/// done, default `defaultNew`) and `days` (7 to 366, what is looked back, default 90). Gives 200. Fails with 400
/// `invalid_query`, 404 `flow_not_found`, 503 `store_overloaded`.
@Sendable private func showForecast(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let share = try request.number("share", 0...Int64(RolloutPlan.wholeShare)).map { Int($0) } ?? Forecast.usualShare
    let days = Int(try request.number("days", windowDays) ?? usualDays)
    let stage = try goal(request)
    let configuration = call.snapshot.configuration
    let flow = try request.query("flow").map { try configuration.flow($0).key }

    let now = call.now
    let programme = Programme(of: flow, to: stage, in: configuration)
    let forecast = Forecast(total: programme.routes.count, done: programme.done, share: share)
    let pace = configuration.releasePace(of: programme.routes, days: days, upTo: now)
    var body = forecast.json(intervalDays: pace.intervalDays, at: now)
    var routes = body["routes"]?.object ?? [:]
    routes["islands"] = .integer(Int64(programme.islands))
    body["routes"] = .object(routes)
    body["flow"] = .text(flow)
    body["stage"] = .string(stage.rawValue)
    body["releases"] = .object(pace.json)

    let service = call.service
    let parked = request.park()
    RecentMoves(service: service, since: now - Int64(days) * 86_400_000, now: now).find { [body] outcome in
        parked.complete(
            with: service.response(to: outcome) { found in
                let observed = Throughput(
                    of: found.moves, by: programme.routes, to: stage, since: found.since, until: now)
                var body = body
                body["observed"] = .object(observed.json(left: forecast.left, intervalDays: pace.intervalDays))
                return .json(.object(body))
            })
    }
    return .later
}

private func goal(_ request: borrowing Request) throws -> Stage {
    guard let text = request.query("stage") else { return .defaultNew }
    guard let stage = Stage(rawValue: text), stage > .notStarted else {
        throw ServiceError(.invalidQuery, "\"stage\" must be one of \(goals.joined(separator: ", ")).")
    }
    return stage
}
