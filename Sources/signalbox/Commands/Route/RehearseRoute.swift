import FlagEvaluation

/// Rehearses the rollback of a route.
struct RehearseRoute: ServiceCommand {
    static let name = "rehearse"
    static let abstract = "Gives a cohort migrated for a while and then legacy again, and measures both."
    static let discussion =
        "Only in compatible, before the ladder. What journeys of the cohort show is kept as evidence of the kind rehearsal, a"
        + " build: the time until units were given migrated, and until they were back. A rollback ends it at once."
    static let examples = [
        "signalbox route rehearse trips.edit --cohort internal --time 10m --reason 'Before the ladder'",
        "signalbox route rehearse trips.edit --end --reason 'Not today'",
    ]

    @Argument("The key of the route.") var route: String
    @Option("The cohort that is flipped.") var cohort: String?
    @Option("The length of each half, 1m to 1h; without it 10m.") var time: Lifetime?
    @Option("Ends the rehearsal now, without a result.") var end: Bool
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        guard end != (cohort != nil) else { throw CommandError.usage("name a --cohort, or say --end") }
        body.set("cohort", cohort)
        body.set("seconds", time?.seconds)
        if end { body["end"] = true }
        return try service.show(.post("routes", route, "rehearse", body: body)) { answer in
            guard let rehearsal = answer["route"]?["rehearsal"] else {
                return "\(route) is not being rehearsed. \(service.revision(of: answer))"
            }
            return
                "\(route) is rehearsed with \(rehearsal.shown("cohort")): migrated until \(rehearsal.time("backAt")), judged "
                + "\(rehearsal.time("endsAt")). \(service.revision(of: answer))"
        }
    }
}
