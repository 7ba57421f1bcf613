import FlagEvaluation

/// The drain view.
struct ShowRouteJourneys: ServiceCommand {
    static let name = "journeys"
    static let abstract = "Counts the journeys in flight on a route, by renderer and build."
    static let examples = ["signalbox route journeys trips.edit"]

    @Argument("The key of the route.") var route: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("routes", route, "journeys")) { answer in
            var table = Table("BUILD", "LEGACY", "MIGRATED")
            for build in answer.list("builds") {
                table.add(build.shown("build"), build.shown("legacy"), build.shown("migrated"))
            }
            let live = answer["live"]
            if let live, !table.rows.isEmpty { table.add("all", live.shown("legacy"), live.shown("migrated")) }
            return service.tell(table, ifEmpty: "No journey is in flight on \(answer.shown("route")).")
        }
    }
}
