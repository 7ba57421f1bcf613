/// Freezes the ladder.
struct Hold<Noun: Movable>: ServiceCommand {
    static var name: String { "hold" }
    static var abstract: String { "Freezes the ladder of \(Noun.phrase); shares stay as they are." }
    static var examples: [String] {
        ["signalbox \(Noun.noun) hold \(Noun.exampleKey) --reason 'Crash reports under review'"]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.move(Noun.self, key, Self.name, change.body)
    }
}
