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
            "segment": segment(of: journey), "parent": journey.shown("parent"),
            "decided": Self.origin(journey.shown("origin")),
            "outcome": outcome.isNull ? "" : outcome.shown("status") + (name.isEmpty ? "" : " (\(name))"),
        ]) + "\n\n" + tell(table, ifEmpty: "It holds no choices.")
            + (journey["end"] == nil ? "" : "\nIts route was rolled back at level abort: the journey is to end.")
            + (journey["conflict"] == .bool(true) ? "\nIts device decided otherwise; what is pinned stands." : "")
            + (journey["buildRegistered"] == .bool(false)
                ? "\n\(journey.shown("build")) is not registered: treated as legacy only." : "")
    }

    private func segment(of journey: JSONValue) -> String {
        let reason = journey.shown("segmentReason")
        return journey.number("segment") > 1 ? journey.shown("segment") + (reason.isEmpty ? "" : " (\(reason))") : ""
    }

    private static func origin(_ origin: String) -> String {
        switch origin {
        case "decided": "by the device, offline; the service came to the same"
        case "unverified": "by the device, offline; the service could not come to the same"
        default: origin
        }
    }
}
