import FlagEvaluation

/// Changes the fields of a route.
struct EditRoute: ServiceCommand {
    static let name = "edit"
    static let abstract = "Changes fields of a route; a list that is given replaces the old one."
    static let examples = [
        "signalbox route edit trips.edit --contract trips.edit.json --reason 'Payload has a new field'",
        "signalbox route edit trips.edit --deletion-date 2027-03-01 --deletion-owner trips-team --reason 'Agreed'",
    ]

    @Argument("The key of the route.") var route: String
    let fields = RouteFieldOptions()
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        let before = body.count
        try fields.write(to: &body)
        guard body.count > before else { throw CommandError.usage("name at least one field to change") }
        if let told = body["plan"]?.object { body["plan"] = try service.plan(of: route, with: told) }
        return try service.show(.patch("routes", route, body: body)) { answer in
            let route = answer["route"] ?? .null
            let view = RouteView(route: route)
            if change.dryRun {
                let report = MoveReport(service: service, verb: Self.name).text(route: route, in: answer)
                return (view.ladderLines + answer.warningLines + [report]).joined(separator: "\n")
            }
            let verb = answer["changed"] == .bool(false) ? "is" : "is changed; it is"
            let line = "\(view.key) \(verb) \(view.position). \(service.revision(of: answer))"
            return ([line] + answer.warningLines + view.ladderLines).joined(separator: "\n")
        }
    }
}
