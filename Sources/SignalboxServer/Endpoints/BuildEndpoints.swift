import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/v1/builds`
    mutating func addBuildEndpoints() {
        add(
            .get, "/v1/builds", .read,
            About("All builds, and how much they are used")
                .gives(Schema.standing.with(["builds": .list(of: .build), "usage": .list(of: .buildUsage)]))
                .usesStore(),
            use: listBuilds)
        add(
            .get, "/v1/builds/:build", .read,
            About("One build").gives(Schema.build.with(.standing)).fails(.buildNotFound).fails(.invalidBuild),
            use: showBuild)
        add(
            .put, "/v1/builds/:build", .change,
            About("Registers what a build has compiled in")
                .changes(
                    takes: .manifest,
                    shows: [
                        "build": .build, "warnings": .list(of: ["code": .words(["migrated_only"]), "route": .key]),
                    ], creates: true
                )
                .fails(.buildExists, .rendererDeleted, .routeNotFound, .invalidKey).fails(.invalidBuild),
            bodyLimit: 1 << 20, use: putBuild)
    }
}

/// Gives 200 and all builds, by app and number. `usage` tells how many journeys each started lately, as far as it did; all
/// builds that are not registered are told together, as null.
@Sendable private func listBuilds(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let builds = configuration.builds.values.sorted { $0.id < $1.id }
    let service = call.service
    let parked = request.park()
    service.store.buildActivity(at: call.now) { outcome in
        parked.complete(
            with: service.response(to: outcome) { activity in
                .json(
                    .object(
                        configuration.standing([
                            "builds": .objects(builds.map(\.json)), "usage": .objects(usage(activity)),
                        ])))
            })
    }
    return .later
}

/// The share is of the app's journeys in the last 7 days that registered builds started.
private func usage(_ activity: [BuildActivity]) -> [JSONObject] {
    let weeks = activity.reduce(into: [:]) { weeks, used in weeks[used.build?.app, default: 0] += used.week }
    return activity.map { used in
        let all = weeks[used.build?.app] ?? 0
        let share = used.build == nil || all == 0 ? 0 : used.week * Int64(RolloutPlan.wholeShare) / all
        return [
            "build": .text(used.build?.text), "last24h": .integer(used.day), "last7d": .integer(used.week),
            "last30d": .integer(used.month), "lastSeenAt": .integer(used.lastSeenAt), "share": .integer(share),
        ]
    }
}

extension Schema {
    fileprivate static let buildUsage = Schema.named(
        "BuildUsage",
        [
            "build": .string.orNull, "last24h": .integer, "last7d": .integer, "last30d": .integer, "lastSeenAt": .time,
            "share": .share,
        ])
}

/// Gives 200 and the build. Fails with 404 `build_not_found`, 400 `invalid_build`.
@Sendable private func showBuild(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try buildID(request)
    let configuration = call.snapshot.configuration
    guard let build = configuration.builds[id] else {
        throw RolloutError(.buildNotFound, "There is no build \"\(id.text)\".")
    }
    return configuration.reply(build.json)
}

/// Takes a manifest: `version`, `releasedAt`?, `minimumOS`?, `commit`?, `renderers`. Gives 201 or 200. Fails with 409
/// `build_exists`, `renderer_deleted`, 404 `route_not_found`.
@Sendable private func putBuild(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    let id = try buildID(request)
    let command = Command.putBuild(try Build(id: id, json: body.members, besides: body.common))
    return try call.service.change(body.request(command, by: call), for: request) { configuration in
        let warnings = configuration.routesWithoutChoice(in: id).map { route -> JSONObject in
            ["code": "migrated_only", "route": .string(route)]
        }
        return ["build": .members(configuration.builds[id]?.json), "warnings": .objects(warnings)]
    }
}

private func buildID(_ request: borrowing Request) throws -> BuildID {
    let text = request.parameter("build")
    guard let id = BuildID(text) else {
        throw ServiceError(.invalidBuild, "\"\(text)\" is not a build; it is written app:number, as in app:730.")
    }
    return id
}
