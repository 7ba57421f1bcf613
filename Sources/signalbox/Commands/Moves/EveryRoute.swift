import FlagEvaluation

/// Gives every new journey legacy on every route.
struct RollBackAll: ServiceCommand {
    static let name = "rollback"
    static let abstract = "Gives every new journey legacy, on every route where that is possible."
    static let discussion = "For one route or flow: 'signalbox route rollback', 'signalbox flow rollback'."
    static let examples = [
        "signalbox rollback --all --reason 'Incident 4711'", "signalbox rollback --all --reason 'What if?' --dry-run",
    ]

    let everyRoute = EveryRoute()
    let extent = RollbackExtent()

    func run(_ service: Service) throws -> ExitCode {
        var body = everyRoute.change.body
        extent.write(to: &body)
        return try everyRoute.move("rollback", body, service)
    }
}

/// Freezes every ladder.
struct HoldAll: ServiceCommand {
    static let name = "hold"
    static let abstract = "Freezes every ladder where that is possible."
    static let discussion = "For one route or flow: 'signalbox route hold', 'signalbox flow hold'."
    static let examples = ["signalbox hold --all --reason 'Release freeze'"]

    let everyRoute = EveryRoute()

    func run(_ service: Service) throws -> ExitCode { try everyRoute.move("hold", everyRoute.change.body, service) }
}

/// A narrowing verb said of everything.
struct EveryRoute: ParameterGroup {
    @Option("Says that every route is meant.") var all: EveryRouteIsMeant
    let change = TriedChangeOptions()

    func move(_ verb: String, _ body: JSONObject, _ service: Service) throws -> ExitCode {
        try service.show(.post(verb, body: body)) { answer in
            let report = MoveReport(service: service, verb: verb, isScoped: body.isScoped)
            return report.text(routes: answer.list("routes"), of: nil, in: answer)
        }
    }
}

/// `--all`, which must be written, so that a forgotten key stops nothing.
struct EveryRouteIsMeant: ParameterValue {
    static let shape = ParameterShape.flag
    static let isNeeded = true
    static let placeholder = ""
    static let choices: [String] = []

    static func read(_ texts: [String]) throws(ValueError) -> EveryRouteIsMeant {
        guard !texts.isEmpty else {
            throw ValueError("is needed; or name one: 'signalbox route' and 'signalbox flow' have the same verb")
        }
        return EveryRouteIsMeant()
    }
}
