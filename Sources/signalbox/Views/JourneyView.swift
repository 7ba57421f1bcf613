import FlagEvaluation

extension Service {
    /// A journey and what it was given.
    func text(ofJourney journey: JSONValue) -> String {
        var table = Table("ROUTE", "RENDERER", "REASON")
        for (route, choice) in journey["choices"]?.object?.entries ?? [] {
            table.add(route.printable, choice.shown("renderer"), choice.shown("reason"))
        }
        let outcome = journey["outcome"] ?? .null
        let name = outcome.shown("name")
        let isPinned = journey["pinned"] == .bool(true)
        return facts([
            "journey": journey.shown("id"), "flow": journey.shown("flow"), "unit": journey.shown("unit"),
            "build": journey.shown("build"), "started": journey.time("startedAt"), "expires": journey.time("expiresAt"),
            "pinned": isPinned
                ? "at revision \(journey.shown("revision"))" : "no: the service could not store the choice",
            "segment": journey.number("segment") > 1 ? journey.shown("segment") : "",
            "outcome": outcome.isNull ? "" : outcome.shown("status") + (name.isEmpty ? "" : " (\(name))"),
        ]) + "\n\n" + tell(table, ifEmpty: "It holds no choices.")
            + (journey["buildRegistered"] == .bool(false)
                ? "\n\(journey.shown("build")) is not registered: treated as legacy only." : "")
    }
}
