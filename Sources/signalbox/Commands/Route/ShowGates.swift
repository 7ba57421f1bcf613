import FlagEvaluation

/// What the next move needs.
struct ShowGates: ServiceCommand {
    static let name = "gates"
    static let abstract = "Shows the gates of a route's next move, and what would make each pass."
    static let discussion = "With --require the exit status is 1 when a gate fails, and 2 when one is unknown."
    static let examples = ["signalbox route gates trips.edit", "signalbox route gates trips.edit --require"]

    @Argument("The key of the route.") var route: String
    @Option("Ends with 1 or 2 unless every gate passes, for CI.") var require: Bool

    func run(_ service: Service) throws -> ExitCode {
        let (answer, value) = try service.fetch(.get("routes", route, "gates"))
        let gates = value.list("gates")
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else if gates.isEmpty {
            service.terminal.say("\(value.shown("route")) has no gates before \(move(value)).")
        } else {
            let lines = GateList(gates).lines(coloured: service.terminal.isColoured)
            service.terminal.say((["\(value.shown("route")) to \(move(value)):"] + lines).joined(separator: "\n"))
        }
        guard require else { return .done }
        let verdicts = gates.map { $0.shown("verdict") }
        if verdicts.contains("fail") { return .refused }
        return verdicts.allSatisfy { $0 == "pass" } ? .done : .inconclusive
    }

    private func move(_ value: JSONValue) -> String {
        let move = value.shown("move")
        return move.isEmpty ? "its next move" : move
    }
}
