import FlagEvaluation
import Rollouts

let environmentCommands = CommandGroup(
    "environment", "Reads and changes what holds for the whole environment.",
    [ShowEnvironment.self, SetEnvironment.self])

/// The environment of the key.
struct ShowEnvironment: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows the environment of the key, and its settings."
    static let examples = ["signalbox environment show"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("environment")) { environment in
            let metadata = environment["metadata"]?.object ?? JSONObject()
            return facts([
                "environment": environment.shown("name"),
                "revision": "\(environment.shown("revision")), epoch \(environment.shown("epoch"))",
                "unknown builds": environment.shown("unknownBuild"),
                "metadata": metadata.isEmpty ? "" : JSONValue.object(metadata).shown,
            ])
        }
    }
}

/// Changes settings.
struct SetEnvironment: ServiceCommand {
    static let name = "set"
    static let abstract = "Changes settings of the environment."
    static let discussion =
        "A build that is not registered, or not named, gets legacy only; with trust it gets what it says that it has, "
        + "and may be given either renderer when it says nothing."
    static let examples = [
        "signalbox environment set --unknown-build trust --reason 'Builds of the beta are not registered'"
    ]

    @Option("What an unknown build may be given.") var unknownBuild: EnvironmentSettings.UnknownBuild
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["unknownBuild"] = .string(unknownBuild.rawValue)
        return try service.show(.patch("environment", body: body)) { answer in
            let environment = answer["environment"] ?? .null
            return "Unknown builds: \(environment.shown("unknownBuild")). \(service.revision(of: answer))"
        }
    }
}

extension EnvironmentSettings.UnknownBuild: SingleValue {}
