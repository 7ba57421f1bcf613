import FlagEvaluation

/// Sets the ladder.
struct PlanRoute: ServiceCommand {
    static let name = "plan"
    static let abstract = "Sets the ladder of a route: its steps, in order."
    static let discussion =
        "A step is a share of everybody, or of a cohort. Shares are written 5% or 0.5%, or as a whole number of 100000."
    static let examples = [
        "signalbox route plan trips.edit --step internal=50% --step internal=100% --step 5% --step 100% --reason 'Agreed'"
    ]

    @Argument("The key of the route.") var route: String
    @Option("A step, such as internal=50% or 5%.") var step: [StepText]
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["plan"] = StepText.plan(step)
        return try service.show(.patch("routes", route, body: body)) { answer in
            let route = answer["route"] ?? .null
            let view = RouteView(route: route)
            let steps = view.steps.indices.compactMap { view.stepText(at: Int64($0 + 1)) }
            let ladder =
                "The ladder of \(view.key) \(change.dryRun ? "would be" : "is") \(steps.joined(separator: ", ")).\n"
            if change.dryRun { return ladder + MoveReport(service: service).text(route: route, in: answer) }
            return ladder + service.revision(of: answer)
        }
    }
}
