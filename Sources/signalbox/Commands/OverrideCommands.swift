import FlagEvaluation
import RouteContract

let overrideCommands = CommandGroup(
    "override", "Names single units that see one renderer, for testers and developers.",
    [ListOverrides.self, SetOverride.self, ClearOverrides.self])

/// All overrides in a table.
struct ListOverrides: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists the overrides, those that have ended included."
    static let examples = ["signalbox override list", "signalbox override list --route trips.edit"]

    @Option("Only those of one route.") var route: String?

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("overrides", query: [("route", route)])) { answer in
            var table = Table("ROUTE", "UNIT", "RENDERER", "EXPIRES", "OWNER", "REASON")
            for override in answer.list("overrides") {
                table.add(
                    override.shown("route"), override.shown("unit"), override.shown("renderer"),
                    override.ending("expiresAt"), override.shown("owner"), override.shown("reason"))
            }
            return service.tell(table, ifEmpty: "There are no overrides.")
        }
    }
}

/// Lets one unit see a renderer.
struct SetOverride: ServiceCommand {
    static let name = "set"
    static let abstract = "Lets one unit see a renderer of a route for a while, whatever the ladder says."
    static let discussion =
        "It counts from compatible to defaultNew, for at most 30 days. A rollback in compatible ends it."
    static let examples = [
        "signalbox override set trips.edit --unit u-1 --renderer migrated --owner QA --expires 7d --reason 'Test plan 7'"
    ]

    @Argument("The key of the route.") var route: String
    @Option("The unit, as it is bucketed.") var unit: String
    @Option("What it is to see.") var renderer: Renderer
    @Option("Who answers for it.") var owner: String
    @Option("How long it holds from now, at most 30d; or a time such as 2026-03-01T09:30:00Z.") var expires: Ending
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["route"] = .string(route)
        body["unit"] = .string(unit)
        body["renderer"] = .string(renderer.rawValue)
        body["owner"] = .string(owner)
        body.set("expiresAt", expires.time(from: .now))
        return try service.show(.post("overrides", body: body)) { answer in
            let override = answer["override"] ?? .null
            return "\(unit.printable) sees \(override.shown("renderer")) of \(route.printable) until "
                + "\(override.time("expiresAt")). \(service.revision(of: answer))"
        }
    }
}

/// Ends overrides before their time.
struct ClearOverrides: ServiceCommand {
    static let name = "clear"
    static let abstract = "Ends the override of one unit, or all overrides of a route."
    static let examples = [
        "signalbox override clear trips.edit --unit u-1 --reason 'Test is over'",
        "signalbox override clear trips.edit --all --reason 'Test is over'",
    ]

    @Argument("The key of the route.") var route: String
    @Option("The unit.") var unit: String?
    @Option("Every unit that there is.") var all: Bool
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        guard (unit == nil) == all else { throw CommandError.usage("give one of --unit and --all") }
        let query = [("route", route), ("unit", unit), ("all", all ? "true" : nil)] + change.query
        return try service.change(
            .delete("overrides", query: query),
            said: "No override of \(route.printable)\(unit.map { " for \($0.printable)" } ?? "") is left.")
    }
}

extension Renderer: SingleValue {}
