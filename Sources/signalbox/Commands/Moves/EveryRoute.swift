/// Gives every new journey legacy on every route.
struct RollBackAll: ServiceCommand {
    static let name = "rollback"
    static let abstract = "Gives every new journey legacy, on every route where that is possible."
    static let discussion = "For one route or flow: 'signalbox route rollback', 'signalbox flow rollback'."
    static let examples = ["signalbox rollback --all --reason 'Incident 4711'"]

    let everyRoute = EveryRoute()

    func run(_ service: Service) throws -> ExitCode { try everyRoute.move("rollback", to: "rolledBack", service) }
}

/// Freezes every ladder.
struct HoldAll: ServiceCommand {
    static let name = "hold"
    static let abstract = "Freezes every ladder where that is possible."
    static let discussion = "For one route or flow: 'signalbox route hold', 'signalbox flow hold'."
    static let examples = ["signalbox hold --all --reason 'Release freeze'"]

    let everyRoute = EveryRoute()

    func run(_ service: Service) throws -> ExitCode { try everyRoute.move("hold", to: "held", service) }
}

/// A narrowing verb said of everything. `--all` must be written, so that a forgotten key stops nothing.
struct EveryRoute: ParameterGroup {
    @Option("Says that every route is meant. Needed.") var all: Bool
    let change = ChangeOptions()

    /// `status` is what the verb makes of a route.
    func move(_ verb: String, to status: String, _ service: Service) throws -> ExitCode {
        guard all else { throw CommandError.usage("say --all, or name one: signalbox route \(verb) ROUTE") }
        return try service.show(.post(verb, body: change.body)) { answer in
            let routes = answer.list("routes").filter { $0.shown("status") == status }
            guard !routes.isEmpty else { return "There is no route where this is possible. Nothing changed." }
            return MoveReport(service: service).text(routes: routes, in: answer)
        }
    }
}
