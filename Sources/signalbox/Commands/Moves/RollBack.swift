import FlagEvaluation
import Rollouts

/// Sends every new journey to legacy.
struct RollBack<Noun: Movable>: ServiceCommand {
    static var name: String { "rollback" }
    static var abstract: String { "Gives every new journey legacy on \(Noun.phrase), wherever the build has it." }
    static var discussion: String {
        "Journeys in flight keep the renderer that they have, unless the level says more. The level of a rollback that "
            + "stands may be raised by rolling back again; a resume clears it. With --app, --builds or --os only what "
            + "lies in all of them is rolled back, until 'resume --scope' lifts it; what does not say its OS counts too."
    }
    static var examples: [String] {
        [
            "signalbox \(Noun.noun) rollback \(Noun.exampleKey) --reason 'Crash when saving'",
            "signalbox \(Noun.noun) rollback \(Noun.exampleKey) --level abort --reason 'Writes wrong data'",
            "signalbox \(Noun.noun) rollback \(Noun.exampleKey) --builds 7.3.1..7.3.4 --os '>=17 <18' --reason 'Crash'",
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

/// How far a rollback goes, and what it is limited to.
struct RollbackExtent: ParameterGroup {
    @Option("What becomes of journeys in flight: they finish, restart in legacy when restored, or are told to end.")
    var level: RollbackLevel?

    @Option("Only builds of this app.") var app: String?
    @Option("Only these versions, or builds: 7.3.1..7.3.4, app:730..app:734, or one of either.") var builds: String?
    @Option("Only these versions of the OS, which apps send as the attribute os: '>=17 <18'.") var os: String?

    func write(to body: inout JSONObject) {
        body.set("level", level?.rawValue)
        body.set("app", app)
        body.set("builds", builds)
        body.set("os", os)
    }
}

extension RollbackLevel: SingleValue {}
