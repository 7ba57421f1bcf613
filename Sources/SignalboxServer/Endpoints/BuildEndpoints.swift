import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/builds`
    mutating func addBuildEndpoints() {
        add(.get, "/v1/builds", .read, About("All builds").gives(["builds": .list(of: .build)]), use: listBuilds)
        add(
            .get, "/v1/builds/:build", .read,
            About("One build").gives(.build).fails(.buildNotFound).fails(.invalidBuild),
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

/// Gives 200 and all builds, by app and number.
@Sendable private func listBuilds(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let builds = call.snapshot.configuration.builds.values.sorted {
        ($0.id.app, $0.id.number) < ($1.id.app, $1.id.number)
    }
    return .now(.json(["builds": .array(builds.map { .object($0.json) })]))
}

/// Gives 200 and the build. Fails with 404 `build_not_found`, 400 `invalid_build`.
@Sendable private func showBuild(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let id = try buildID(request)
    guard let build = call.snapshot.configuration.builds[id] else {
        throw RolloutError(.buildNotFound, "There is no build \"\(id.text)\".")
    }
    return .now(.json(.object(build.json)))
}

/// Takes a manifest: `version`, `releasedAt`?, `minimumOS`?, `commit`?, `renderers`. Gives 201 or 200. Fails with 409
/// `build_exists`, `renderer_deleted`, 404 `route_not_found`.
@Sendable private func putBuild(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    let id = try buildID(request)
    let command = Command.putBuild(try Build(id: id, json: body.members, besides: body.common))
    return call.service.change(body.request(command, by: call), for: request) { configuration in
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
