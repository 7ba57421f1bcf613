import FlagEvaluation

/// What the next move needs.
struct ShowGates: ServiceCommand {
    static let name = "gates"
    static let abstract = "Shows the gates of a route's next move, and what would make each pass."
    static let discussion = """
        A gate that is unknown does not block the move unless it says so. With --require the exit status is 1 when a gate fails or the \
        route is held, rolled back or an island, and 2 when a gate is unknown.
        """
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
        let status = value.shown("status")
        let isStopped = !status.isEmpty && status != "active"
        if isStopped, !service.isJSON { service.terminal.say(remedy(status, value.shown("route"))) }
        guard require else { return .done }
        if isStopped { return .refused }
        let verdicts = gates.map { $0.shown("verdict") }
        if verdicts.contains("fail") { return .refused }
        return verdicts.allSatisfy { ["pass", "waived"].contains($0) } ? .done : .inconclusive
    }

    private func remedy(_ status: String, _ route: String) -> String {
        switch status {
        case "rolledBack": "rolled back: resume it first with signalbox route resume \(route) --cause … --reason …"
        case "island": "an island: end it first with signalbox route resume \(route) --reason …"
        default: "\(status): resume it first with signalbox route resume \(route) --reason …"
        }
    }

    private func move(_ value: JSONValue) -> String {
        let move = value.shown("move")
        return move.isEmpty ? "its next move" : move
    }
}
