import FlagEvaluation

/// Takes the next step.
struct Advance<Noun: Movable>: ServiceCommand {
    static var name: String { "advance" }
    static var abstract: String { "Moves \(Noun.phrase) to the next step of the ladder, otherwise to the next stage." }
    static var discussion: String {
        "A gate that fails blocks the move; the refusal names each gate and what would make it pass. A gate that is "
            + "unknown, because nothing stored can decide it yet, does not block unless it says so: the output names those."
    }
    static var examples: [String] {
        [
            "signalbox \(Noun.noun) advance \(Noun.exampleKey) --reason 'Parity passed in 7.31'",
            "signalbox \(Noun.noun) advance \(Noun.exampleKey) --reason 'What if?' --dry-run",
        ]
    }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    @Option("Passes gates that fail, except hard ones. Needs the role admin, and is loud in the audit.")
    var force: Bool
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        if force { body["force"] = true }
        return try service.move(Noun.self, key, Self.name, body)
    }
}
