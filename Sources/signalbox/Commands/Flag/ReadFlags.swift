import FlagEvaluation

/// All flags in a table.
struct ListFlags: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all flags."
    static let examples = ["signalbox flag list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("flags")) { answer in
            var table = Table("FLAG", "STATE", "DEFAULT", "VARIANTS", "TARGETING", "WARNINGS")
            for flag in answer.list("flags") {
                let definition = flag["definition"] ?? .null
                let targeting = definition["targeting"]?.object.map { !$0.isEmpty } ?? false
                let variants = definition["variants"]?.object?.keys.map(\.printable) ?? []
                let warnings = flag.list("warnings").count
                table.add(
                    flag.shown("key"), definition.shown("state"), definition.shown("defaultVariant"),
                    variants.joined(separator: ", "), targeting ? "yes" : "", warnings == 0 ? "" : "\(warnings)")
            }
            return service.tell(table, ifEmpty: "There are no flags.")
        }
    }
}

/// One flag's definition.
struct ShowFlag: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows the definition of a flag, and what is doubtful about it."
    static let examples = ["signalbox flag show new-search"]

    @Argument("The key of the flag.") var flag: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("flags", flag)) { flag in
            ([(flag["definition"] ?? .null).prettyJSONText] + flag.warningLines).joined(separator: "\n")
        }
    }
}
