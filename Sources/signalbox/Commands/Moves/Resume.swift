/// Goes on after a hold, a rollback or an island.
struct Resume<Noun: Movable>: ServiceCommand {
    static var name: String { "resume" }
    static var abstract: String { "Lets \(Noun.phrase) go on after a hold or a rollback, or ends an island." }
    static var discussion: String {
        "After a hold the step is the same. After a rollback it is step 1, or one that was left in good health, and "
            + "the cause must be named. An island ends at compatible. A scoped rollback is lifted with --scope."
    }
    static var examples: [String] {
        [
            "signalbox \(Noun.noun) resume \(Noun.exampleKey) --reason 'Review is done'",
            "signalbox \(Noun.noun) resume \(Noun.exampleKey) --reason 'Fixed in 7.31' --cause 'Crash when saving' --step 2",
            "signalbox \(Noun.noun) resume \(Noun.exampleKey) --scope s42 --reason 'Fixed in 7.3.5'",
        ]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    @Option("What made the rollback necessary. Needed after one.") var cause: String?
    @Option("The step to begin at, counted from 1.") var step: Int?
    @Option("The id of a scoped rollback to lift; 'route show' lists them.") var scope: String?
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("cause", cause)
        body.set("step", step)
        body.set("scope", scope)
        return try service.move(Noun.self, key, Self.name, body)
    }
}
