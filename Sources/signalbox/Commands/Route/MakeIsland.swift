/// Decides that a route stays legacy.
struct MakeIsland: ServiceCommand {
    static let name = "island"
    static let abstract = "Declares that a route stays legacy, with an owner and a day of review."
    static let examples = [
        "signalbox route island orders.receipt --owner orders-team --review-date 2027-01-15 --reason 'Printing is UIKit'"
    ]

    @Argument("The key of the route.") var route: String
    @Option("Who answers for it.") var owner: String
    @Option("The day on which the decision is looked at again, such as 2027-01-15.") var reviewDate: CalendarDate
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("owner", owner)
        body.set("reviewDate", reviewDate.text)
        return try service.move(RouteNoun.self, route, Self.name, body)
    }
}
