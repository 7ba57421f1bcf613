import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/environment`
    mutating func addEnvironmentEndpoints() {
        add(
            .get, "/v1/environment", .read,
            About("The environment of the key").gives(Schema.environment.with(.standing)),
            use: showEnvironment)
        add(
            .patch, "/v1/environment", .change,
            About("Changes settings of the environment")
                .changes(
                    takes: ["unknownBuild?": .words(of: EnvironmentSettings.UnknownBuild.self)],
                    shows: ["environment": .environment]),
            use: editEnvironment)
    }
}

extension Schema {
    fileprivate static let environment: Schema = [
        "name": .string, "unknownBuild": .words(of: EnvironmentSettings.UnknownBuild.self), "metadata": .anyObject,
    ]
}

/// Gives 200 and the environment of the key.
@Sendable private func showEnvironment(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    call.snapshot.configuration.reply(call.snapshot.configuration.shownEnvironment)
}

/// Takes `unknownBuild`? (`legacy` or `trust`). Gives 200. Fails with 400 `invalid_field`.
@Sendable private func editEnvironment(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["unknownBuild"])
    let command = Command.editEnvironment(unknownBuild: try body.members.optionalWord("unknownBuild"))
    return try call.service.change(body.request(command, by: call), for: request) { configuration in
        ["environment": .object(configuration.shownEnvironment)]
    }
}

extension Configuration {
    fileprivate var shownEnvironment: JSONObject {
        [
            "name": .string(environment), "unknownBuild": .string(settings.unknownBuild.rawValue),
            "metadata": .object(settings.metadata),
        ]
    }
}
