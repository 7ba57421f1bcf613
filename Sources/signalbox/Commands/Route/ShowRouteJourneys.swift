import FlagEvaluation

/// The drain view.
struct ShowRouteJourneys: ServiceCommand {
    static let name = "journeys"
    static let abstract = "Counts the journeys in flight on a route, by renderer, build and age."
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
            let text = service.tell(table, ifEmpty: "No journey is in flight on \(answer.shown("route")).")
            return table.rows.isEmpty ? text : text + "\n\n" + Self.drain(answer)
        }
    }

    /// How old they are, when the last one ends, and what is unusual about some.
    private static func drain(_ answer: JSONValue) -> String {
        let ages = ["legacy", "migrated"].map { renderer -> String in
            let ages = answer["ages"]?[renderer] ?? .null
            return "\(ages.shown("under1h")) under 1 h, \(ages.shown("under6h")) under 6 h, "
                + "\(ages.shown("under24h")) under 24 h, \(ages.shown("older")) older"
        }
        let segments = answer["segments"]?.object?.entries.map { "\($0.value.shown) by \($0.key)" } ?? []
        let ends = answer["lastEnds"] ?? .null
        return facts([
            "legacy": ages[0], "migrated": ages[1], "last legacy ends": ends.time("legacy"),
            "last migrated ends": ends.time("migrated"), "later segments": segments.joined(separator: ", "),
            "unverified": answer.number("unverified") > 0 ? answer.shown("unverified") : "",
            "in conflict": answer.number("conflicts") > 0 ? answer.shown("conflicts") : "",
            "counted": answer.time("countedAt"),
        ])
    }
}
