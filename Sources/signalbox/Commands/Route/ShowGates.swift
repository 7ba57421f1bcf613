import FlagEvaluation

/// What the next move needs.
struct ShowGates: ServiceCommand {
    static let name = "gates"
    static let abstract = "Shows the gates of a route's next move, or of all routes, and what would make each pass."
    static let discussion = """
        A gate that is unknown does not block the move unless it says so. With --require the exit status is 1 when a gate \
        blocks or the route is held, rolled back or an island, and 2 when only gates are left that are unknown and do not \
        block.
        """
    static let examples = [
        "signalbox route gates trips.edit", "signalbox route gates trips.edit --require", "signalbox route gates --all",
    ]

    @Argument("The key of the route.") var route: String?
    @Option("The gates of every route that do not pass.") var all: Bool
    @Option("Ends with 1 or 2 unless every gate passes, for CI.") var require: Bool

    func run(_ service: Service) throws -> ExitCode {
        guard (route == nil) == all else { throw CommandError.usage("name a route, or give --all") }
        guard let route else { return try showAll(service) }
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
        let view = GatesView(value)
        if view.isStopped, !service.isJSON { service.terminal.say(remedy(value.shown("status"), value.shown("route"))) }
        return require ? view.code : .done
    }

    private func showAll(_ service: Service) throws -> ExitCode {
        let (answer, value) = try service.fetch(.get("gates"))
        let routes = value.list("routes")
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else {
            var table = Table("ROUTE", "MOVE", "STATUS", "BLOCKED BY", "UNKNOWN")
            for route in routes {
                let gates = route.list("gates")
                func names(_ isIncluded: (JSONValue) -> Bool) -> String {
                    gates.filter(isIncluded).map { $0.shown("name") }.listed
                }
                table.add(
                    route.shown("route"), move(route), route.shown("status"), names { $0["blocks"] == .bool(true) },
                    names { $0.shown("verdict") == "unknown" && $0["blocks"] != .bool(true) })
            }
            service.terminal.say(service.tell(table, ifEmpty: "There are no routes."))
        }
        guard require else { return .done }
        let codes = routes.map { GatesView($0).code }
        return codes.contains(.refused) ? .refused : codes.contains(.inconclusive) ? .inconclusive : .done
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

/// The gates of a route, as a program decides by them.
struct GatesView {
    private let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    /// Whether it is held, rolled back or an island, so that no gate helps.
    var isStopped: Bool { !["", "active"].contains(value.shown("status")) }

    /// What CI is told: 1 when something fails or, though it is unknown, blocks; 2 when something is only unknown.
    var code: ExitCode {
        if isStopped { return .refused }
        return Self.code(of: value.list("gates"))
    }

    /// The same for one gate; nil when the next move has no gate of that name.
    func code(ofGate name: String) -> ExitCode? {
        let named = value.list("gates").filter { $0.shown("name") == name }
        return named.isEmpty ? nil : Self.code(of: named)
    }

    private static func code(of gates: [JSONValue]) -> ExitCode {
        if gates.contains(where: { $0["blocks"] == .bool(true) || $0.shown("verdict") == "fail" }) { return .refused }
        return gates.allSatisfy { ["pass", "waived"].contains($0.shown("verdict")) } ? .done : .inconclusive
    }
}
