/// Says that the next step may be taken.
struct Approve<Noun: Movable>: ServiceCommand {
    static var name: String { "approve" }
    static var abstract: String { "Approves the next step of the ladder of \(Noun.phrase), where it asks for that." }
    static var discussion: String {
        "Needs the role approver or admin. It counts for exactly the next step and the rules of its cohort as they are, "
            + "and any move ends it."
    }
    static var examples: [String] { ["signalbox \(Noun.noun) approve \(Noun.exampleKey) --reason 'Looked at step 2'"] }

    @Argument("The key of the \(Noun.noun).", name: Noun.noun) var key: String
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.move(Noun.self, key, Self.name, change.body)
    }
}
