/// All flows in a table.
struct ListFlows: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all flows."
    static let examples = ["signalbox flow list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("flows")) { answer in
            var table = Table("FLOW", "OWNER", "LIFETIME")
            for flow in answer.list("flows") {
                let lifetime = Lifetime(seconds: Int(clamping: flow.number("journeyLifetimeSeconds")))
                table.add(flow.shown("key"), flow.shown("owner"), lifetime.text)
            }
            return service.tell(table, ifEmpty: "There are no flows.")
        }
    }
}

/// One flow and its routes.
struct ShowFlow: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows a flow and its routes."
    static let examples = ["signalbox flow show trips"]

    @Argument("The key of the flow.") var flow: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("flows", flow)) { flow in
            let lifetime = Lifetime(seconds: Int(clamping: flow.number("journeyLifetimeSeconds")))
            return facts([
                "flow": flow.shown("key"), "owner": flow.shown("owner"), "id": flow.shown("id"),
                "lifetime": lifetime.text,
            ]) + "\n\n" + service.table(ofRoutes: flow.list("routes"))
        }
    }
}
