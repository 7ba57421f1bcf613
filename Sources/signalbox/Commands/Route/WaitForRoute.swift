import FlagEvaluation
import RouteContract

/// Waits for something to become true of a route.
struct WaitForRoute: ServiceCommand {
    static let name = "wait"
    static let abstract = "Waits until a gate passes or a stage is reached, for CI."
    static let discussion = """
        Ends with 0 when it is so, with 1 when the time is over and the gate still blocks or the route is stopped, and with 2 \
        when the time is over and it cannot be told. A service that does not answer in between is asked again. --json prints \
        what it answered last.
        """
    static let examples = [
        "signalbox route wait trips.edit --gate parity --for 30m",
        "signalbox route wait trips.edit --stage defaultNew --for 2h --every 60",
    ]

    @Argument("The key of the route.") var route: String
    @Option("The gate of the next move that is to pass.") var gate: String?
    @Option("The stage that the route is to reach, or to be beyond.") var stage: Stage?
    @Option("The longest time.") var `for`: Lifetime = Lifetime(seconds: 600)
    @Option("Seconds between two looks.") var every: Timeout = Timeout(number: 10)

    func run(_ service: Service) throws -> ExitCode {
        guard (gate == nil) != (stage == nil) else { throw CommandError.usage("give one of --gate and --stage") }
        let terminal = service.terminal
        let end = terminal.now().milliseconds + Int64(self.for.seconds) * 1_000
        while true {
            let look = try look(service)
            let left = end - terminal.now().milliseconds
            guard look.code != .done, left > 0 else {
                report(look, service)
                return look.code
            }
            terminal.pause(min(Int64(every.number) * 1_000, left))
        }
    }

    /// What one look has shown.
    private struct Look {
        let code: ExitCode
        let text: String
        /// What the service answered, also where it refused.
        let document: [UInt8]?
        let isAnswered: Bool
    }

    private func look(_ service: Service) throws -> Look {
        do {
            let request: Request = gate == nil ? .get("routes", route) : .get("routes", route, "gates")
            let (answer, value) = try service.fetch(request)
            let (code, text) = gate.map { look(at: $0, in: value) } ?? look(at: value)
            return Look(code: code, text: text, document: answer.body, isAnswered: true)
        } catch let error as CommandError where error.status == .unavailable {
            let text = "The service could not be asked: \(error.message)"
            return Look(code: .inconclusive, text: text, document: error.document, isAnswered: false)
        }
    }

    private func report(_ look: Look, _ service: Service) {
        guard service.isJSON else { return service.terminal.say(look.text) }
        if let document = look.document { service.terminal.emit(document) }
        if !look.isAnswered { service.terminal.complain(look.text) }
    }

    private func look(at gate: String, in value: JSONValue) -> (ExitCode, String) {
        let view = GatesView(value)
        guard let code = view.code(ofGate: gate) else {
            let move = value.shown("move")
            return (.inconclusive, "The next move of \(route.printable), \(move), has no gate \(gate.printable).")
        }
        let shown = value.list("gates").first { $0.shown("name") == gate } ?? .null
        let reason = shown.shown("reason")
        let text = "\(gate.printable) of \(route.printable): \(shown.shown("verdict"))"
        return (code, text + (reason.isEmpty ? "" : ", \(reason)"))
    }

    private func look(at value: JSONValue) -> (ExitCode, String) {
        let view = RouteView(route: value)
        let text = "\(view.key) is \(view.position)."
        let reached = Stage(rawValue: view.stage).flatMap { now in stage.map { now >= $0 } } ?? false
        if view.status == "active" || view.status == "held", reached { return (.done, text) }
        return (view.status == "active" ? .inconclusive : .refused, text)
    }
}

extension Stage: SingleValue {}
