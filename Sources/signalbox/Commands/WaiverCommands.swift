import FlagEvaluation

let waiverCommands = CommandGroup(
    "waiver", "Lets a route pass by one gate for a while, on somebody's word.",
    [ListWaivers.self, GrantWaiver.self, RevokeWaiver.self])

/// All waivers in a table.
struct ListWaivers: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists the waivers, those that have ended included."
    static let examples = ["signalbox waiver list", "signalbox waiver list --route trips.edit"]

    @Option("Only those of one route.") var route: String?

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("waivers", query: [("route", route)])) { answer in
            var table = Table("ROUTE", "GATE", "MOVE", "APPROVER", "EXPIRES", "REASON")
            for waiver in answer.list("waivers") {
                let move = waiver.shown("move")
                table.add(
                    waiver.shown("route"), waiver.shown("gate"), move.isEmpty ? "every" : move,
                    waiver.shown("approver"), waiver.ending("expiresAt"), waiver.shown("reason"))
            }
            return service.tell(table, ifEmpty: "There are no waivers.")
        }
    }
}

/// Passes a gate by.
struct GrantWaiver: ServiceCommand {
    static let name = "grant"
    static let abstract = "Waives one gate of a route, for at most 90 days."
    static let discussion =
        "Needs the role approver or admin, whose holder is named as the approver. A hard gate cannot be waived."
    static let examples = [
        "signalbox waiver grant trips.edit stopConditions --move defaultNew --expires 14d --reason 'Judged by hand, see 4711'"
    ]

    @Argument("The key of the route.") var route: String
    @Argument("The gate, as 'signalbox route gates' names it.") var gate: String
    @Option("Only for this move, such as defaultNew or 'step 2'.") var move: String?
    @Option("How long it holds from now, at most 90d; or a time such as 2026-03-01T09:30:00Z.") var expires: Ending
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("gate", gate)
        body.set("move", move)
        body.set("expiresAt", expires.time(from: .now))
        return try service.show(.post("routes", route, "waivers", body: body)) { answer in
            let waiver = answer["waiver"] ?? .null
            return "\(waiver.shown("approver")) waives \(gate.printable) of \(route.printable) until "
                + "\(waiver.time("expiresAt")). \(service.revision(of: answer))"
        }
    }
}

/// Ends a waiver before its time.
struct RevokeWaiver: ServiceCommand {
    static let name = "revoke"
    static let abstract = "Ends a waiver before its time."
    static let examples = ["signalbox waiver revoke trips.edit parity --reason 'Evidence is there now'"]

    @Argument("The key of the route.") var route: String
    @Argument("The gate.") var gate: String
    @Option("The move that it was granted for, if it was.") var move: String?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        let query = [("gate", gate)] + change.query + [("move", move)]
        return try service.change(
            .delete("routes", route, "waivers", query: query),
            said: "\(gate.printable) of \(route.printable) counts again.")
    }
}
