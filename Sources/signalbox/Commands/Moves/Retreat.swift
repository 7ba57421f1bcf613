/// Goes one stage back on purpose.
struct Retreat<Noun: Movable>: ServiceCommand {
    static var name: String { "retreat" }
    static var abstract: String { "Moves \(Noun.phrase) one stage back on purpose." }
    static var examples: [String] {
        ["signalbox \(Noun.noun) retreat \(Noun.exampleKey) --reason 'Contract needs another field'"]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.move(Noun.self, key, Self.name, change.body)
    }
}
