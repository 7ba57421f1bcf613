import FlagEvaluation
import Rollouts

/// Sends every new journey to legacy.
struct RollBack<Noun: Movable>: ServiceCommand {
    static var name: String { "rollback" }
    static var abstract: String { "Gives every new journey legacy on \(Noun.phrase), wherever the build has it." }
    static var discussion: String {
        "Journeys in flight keep the renderer that they have, unless the level says more. The level of a rollback that "
            + "stands may be raised by rolling back again; a resume clears it."
    }
    static var examples: [String] {
        [
            "signalbox \(Noun.noun) rollback \(Noun.exampleKey) --reason 'Crash when saving'",
            "signalbox \(Noun.noun) rollback \(Noun.exampleKey) --level abort --reason 'Writes wrong data'",
        ]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    let extent = RollbackExtent()
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        extent.write(to: &body)
        return try service.move(Noun.self, key, Self.name, body)
    }
}

/// How far a rollback goes.
struct RollbackExtent: ParameterGroup {
    @Option("What becomes of journeys in flight: they finish, restart in legacy when restored, or are told to end.")
    var level: RollbackLevel?

    func write(to body: inout JSONObject) { body.set("level", level?.rawValue) }
}

extension RollbackLevel: SingleValue {}
