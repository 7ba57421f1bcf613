import FlagEvaluation

/// Everything about one route.
struct ShowRoute: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows a route, the gates of its next move, and the journeys in flight."
    static let examples = ["signalbox route show trips.edit", "signalbox route show trips.edit --as-flag"]

    @Argument("The key of the route.") var route: String
    @Option("Prints the flag that the route is evaluated as, in flagd's format.") var asFlag: Bool

    func run(_ service: Service) throws -> ExitCode {
        if asFlag { return try service.show(.get("routes", route, "flag")) { $0.prettyJSONText } }
        return try service.show(.get("routes", route)) { route in
            let view = RouteView(route: route)
            return [
                summary(route), view.forcedBox.joined(separator: "\n"),
                view.exclusionLines(at: .now).joined(separator: "\n"),
                view.ladderLines.joined(separator: "\n"), gates(route, service),
            ]
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
        }
    }

    private func summary(_ route: JSONValue) -> String {
        let live = route["live"] ?? .null
        let contract = route["contract"] ?? .null
        return facts([
            "route": route.shown("key"), "flow": route.shown("flow"), "is": RouteView(route: route).position,
            "next": RouteView(route: route).nextText ?? "",
            "rehearsal": route["rehearsal"].map {
                "with \($0.shown("cohort")), migrated until \($0.time("backAt")), judged \($0.time("endsAt"))"
            } ?? "",
            "approved": approval(route),
            "first legacy": route["firstLegacyAnswerMilliseconds"].map { "\($0.shown) ms after the rollback" } ?? "",
            "since": since(route), "owner": route.shown("owner"), "purpose": route.shown("purpose"),
            "in flight": live.isNull ? "" : "\(live.number("legacy")) legacy, \(live.number("migrated")) migrated",
            "contract": contract.isNull ? "" : text(ofContract: contract),
            "evidence": route.list("evidenceOfOtherContracts").isEmpty
                ? ""
                : "of another contract, which does not count: "
                    + route.list("evidenceOfOtherContracts").map(\.shown).listed,
            "entry points": route.list("entryPoints").map { "\($0.shown("kind")) \($0.shown("source"))" }
                .joined(separator: ", "),
            "requires": route.list("requires").map(\.shown).joined(separator: ", "),
            "excludes": route.list("excludes").map(\.shown).joined(separator: ", "),
            "legacy symbols": route.list("legacySymbols").map(\.shown).joined(separator: ", "),
            "deletion": pair(route["deletion"], "date", "owner"),
            "island": pair(route["island"], "reviewDate", "owner"),
            "stopped": route["stop"].map { "by \($0.shown("condition")), \($0.time("at")): resume it with the cause" }
                ?? "",
            "flip-backs": route.number("flipBacks") == 0 ? "" : route.shown("flipBacks"),
            "revision": route.shown("revision"),
        ])
    }

    /// Who approved which step, and why that counts no more if it does not.
    private func approval(_ route: JSONValue) -> String {
        guard let approval = route["approval"], !approval.isNull else { return "" }
        let gate = route["next"]?.list("gates").first { $0["name"] == "approval" && $0["verdict"] != "pass" }
        return "step \(approval.shown("step")), by \(approval.shown("by"))"
            + (gate.map { ", but it counts no more: \($0.shown("reason"))" } ?? "")
    }

    private func since(_ route: JSONValue) -> String {
        guard let moment = route["stageSince"]?.integer.map(Timestamp.init(milliseconds:)) else { return "" }
        return "\(moment.text) (\(moment.age(at: .now)) ago)"
    }

    private func text(ofContract contract: JSONValue) -> String {
        let outcomes = contract.list("outcomes").map(\.shown).joined(separator: ", ")
        return "version \(contract.shown("schemaVersion")), outcomes \(outcomes)"
    }

    private func pair(_ value: JSONValue?, _ date: String, _ owner: String) -> String {
        guard let value, !value.isNull else { return "" }
        return "\(value.shown(date)), by \(value.shown(owner))"
    }

    private func gates(_ route: JSONValue, _ service: Service) -> String {
        guard let next = route["next"], !next.isNull else { return "" }
        let lines = GateList(next.list("gates")).lines(coloured: service.terminal.isColoured)
        return (["gates to \(next.shown("move"))"] + lines).joined(separator: "\n")
    }
}
