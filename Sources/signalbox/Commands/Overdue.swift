import FlagEvaluation

/// What should have been done by now.
struct Overdue: ServiceCommand {
    static let name = "overdue"
    static let abstract = "Lists what should have been done by now, with who answers for it and what to do."
    static let discussion = """
        Deletion dates and reviews of islands that have passed, routes that are held at a step older than 14 days (when the \
        hold itself began is not stored), and waivers that end within 7 days. With --fail the exit status is 1 when there is \
        any. --json prints what is overdue: {"overdue": [{"route", "owner", "why", "remedy"}]}.
        """
    static let examples = ["signalbox overdue", "signalbox overdue --fail"]

    /// Waivers that end sooner than this are told of.
    private static let waiverDays: Int64 = 7

    @Option("Ends with the exit code 1 when anything is overdue, for CI.") var fail: Bool

    func run(_ service: Service) throws -> ExitCode {
        let now = service.terminal.now()
        let routes = try service.fetch(.get("routes")).value.list("routes")
        let waivers = try service.fetch(.get("waivers")).value.list("waivers")
        let overdue =
            routes.flatMap { Need.needs(of: $0, at: now) }.filter { $0.what == "overdue" }
            + waivers.filter { Self.isEnding($0, at: now) }.map(Need.init(endingWaiver:))
        if service.isJSON {
            let list = JSONValue.array(overdue.map(\.json))
            service.terminal.emit(Array(JSONValue.object(["overdue": list]).jsonText.utf8))
        } else {
            var table = Table("ROUTE", "OWNER", "OVERDUE", "TO DO")
            for need in overdue { table.add(need.route, need.owner, need.why, need.remedy) }
            service.terminal.say(service.tell(table, ifEmpty: "Nothing is overdue."))
        }
        return fail && !overdue.isEmpty ? .refused : .done
    }

    private static func isEnding(_ waiver: JSONValue, at now: Timestamp) -> Bool {
        let end = waiver.number("expiresAt")
        return end > now.milliseconds && end - now.milliseconds <= waiverDays * 86_400_000
    }
}

extension Need {
    fileprivate init(endingWaiver waiver: JSONValue) {
        self.init(
            urgency: 2, what: "overdue", route: waiver.shown("route"), owner: waiver.shown("approver"),
            why: "the waiver of \(waiver.shown("gate")) ends \(waiver.time("expiresAt"))",
            remedy: "signalbox route gates \(waiver.shown("route"))")
    }

    fileprivate var json: JSONValue {
        ["route": .string(route), "owner": .string(owner), "why": .string(why), "remedy": .string(remedy)]
    }
}
