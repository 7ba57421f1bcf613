/// Sends every new journey to legacy.
struct RollBack<Noun: Movable>: ServiceCommand {
    static var name: String { "rollback" }
    static var abstract: String { "Gives every new journey legacy on \(Noun.phrase), wherever the build has it." }
    static var discussion: String { "Journeys in flight keep the renderer that they have." }
    static var examples: [String] {
        ["signalbox \(Noun.noun) rollback \(Noun.exampleKey) --reason 'Crash when saving'"]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.move(Noun.self, key, Self.name, change.body)
    }
}
