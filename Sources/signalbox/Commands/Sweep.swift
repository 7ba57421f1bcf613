import FlagEvaluation

/// Lets a sweep that was refused go ahead.
struct Sweep: ServiceCommand {
    static let name = "sweep"
    static let abstract =
        "Deletes journeys that are long over, after a sweep was refused because it would take many at once."
    static let discussion = """
        The service sweeps by itself each minute, and refuses when more than a tenth of the live journeys would go: then \
        its clock jumped, or it was away for long. See that the clock is right before you confirm; the role admin is needed.
        """
    static let examples = ["signalbox sweep --confirm --reason 'Back after three weeks, clock checked'"]

    @Option("Says that the service's clock is right. Needed.") var confirm: Bool
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        guard confirm else { throw CommandError.usage("say --confirm, after you have seen that the clock is right") }
        var body = change.body
        body["confirm"] = true
        return try service.show(.post("sweep", body: body)) { answer in
            "Deleted \(answer.number("deletedRows")) rows. \(service.revision(of: answer))"
        }
    }
}
