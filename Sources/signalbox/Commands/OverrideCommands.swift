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
        let query = route.map { [("route", $0)] } ?? []
        return try service.show(.get("overrides", query: query)) { answer in
            var table = Table("ROUTE", "UNIT", "RENDERER", "EXPIRES", "OWNER", "REASON")
            for override in answer.list("overrides") {
                let ended = override["holds"] == .bool(false) ? " (ended)" : ""
                table.add(
                    override.shown("route"), override.shown("unit"), override.shown("renderer"),
                    override.time("expiresAt") + ended, override.shown("owner"), override.shown("reason"))
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
        body["expiresAt"] = .integer(expires.time(from: .now).milliseconds)
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
        let which = unit.map { ("unit", $0) } ?? ("all", "true")
        let query = [("route", route), which, ("reason", change.reason)]
        return try service.show(.delete("overrides", query: query)) { answer in
            "No override of \(route.printable)\(unit.map { " for \($0.printable)" } ?? "") is left. "
                + service.revision(of: answer)
        }
    }
}

extension Renderer: SingleValue {}

/// When something ends: after a length of time, or at a time.
struct Ending: SingleValue, Equatable {
    static let placeholder = "TIME"
    private enum Kind: Equatable {
        case after(Lifetime)
        case at(Timestamp)
    }
    private let kind: Kind

    init(argument text: String) throws(ValueError) {
        if let lifetime = try? Lifetime(argument: text) {
            kind = .after(lifetime)
        } else if let time = try? Timestamp(argument: text) {
            kind = .at(time)
        } else {
            throw ValueError("is '\(text)'; write a length such as 12h or 7d, or a time such as 2026-03-01T09:30:00Z")
        }
    }

    func time(from now: Timestamp) -> Timestamp {
        switch kind {
        case .after(let lifetime): Timestamp(milliseconds: now.milliseconds + Int64(lifetime.seconds) * 1_000)
        case .at(let time): time
        }
    }
}
