import FlagEvaluation

/// Makes a route known.
struct RegisterRoute: ServiceCommand {
    static let name = "register"
    static let abstract = "Registers a route in a flow; it begins at notStarted."
    static let examples = [
        "signalbox route register trips.edit --flow trips --owner trips-team --reason 'First route to move'",
        "signalbox route register trips.share --flow trips --entry-point inApp=trips.detail --reason 'Found in census'",
    ]

    @Argument("The key that the route will have.") var route: String
    @Option("The flow that the route belongs to.") var flow: String
    let fields = RouteFieldOptions()
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("key", route)
        body.set("flow", flow)
        try fields.write(to: &body)
        return try service.show(.post("routes", body: body)) { answer in
            let view = RouteView(route: answer["route"] ?? .null)
            let line = "\(view.key) is registered: \(view.position). \(service.revision(of: answer))"
            return ([line] + view.ladderLines).joined(separator: "\n")
        }
    }
}
