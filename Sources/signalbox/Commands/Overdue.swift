import FlagEvaluation

/// What should have been done by now.
struct Overdue: ServiceCommand {
    static let name = "overdue"
    static let abstract = "Lists what should have been done by now, with who answers for it and what to do."
    static let discussion =
        "Deletion dates and reviews of islands that have passed, holds longer than 14 days, and waivers that end within 7"
        + " days. With --fail the exit code is 1 when there is any."
    static let examples = ["signalbox overdue", "signalbox overdue --fail"]

    /// Waivers that end sooner than this are told of.
    private static let waiverDays: Int64 = 7

    @Option("Ends with the exit code 1 when anything is overdue, for CI.") var fail: Bool

    func run(_ service: Service) throws -> ExitCode {
        let now = service.terminal.now()
        let waivers = try service.fetch(.get("waivers")).value.list("waivers")
        var isAny = false
        _ = try service.show(.get("routes")) { answer in
            let routes = answer.list("routes")
            let needs = routes.flatMap { Need.needs(of: $0, at: now) }.filter { $0.what == "overdue" }
            var table = Table("ROUTE", "OWNER", "OVERDUE", "TO DO")
            for need in needs { table.add(need.route, need.owner, need.why, need.remedy) }
            for waiver in waivers where Self.isEnding(waiver, at: now) {
                let key = waiver.shown("route")
                table.add(
                    key, waiver.shown("approver"),
                    "the waiver of \(waiver.shown("gate")) ends \(waiver.time("expiresAt"))",
                    "signalbox route gates \(key)")
            }
            isAny = !table.rows.isEmpty
            return service.tell(table, ifEmpty: "Nothing is overdue.")
        }
        return fail && isAny ? .refused : .done
    }

    static func isEnding(_ waiver: JSONValue, at now: Timestamp) -> Bool {
        let end = waiver.number("expiresAt")
        return end > now.milliseconds && end - now.milliseconds <= waiverDays * 86_400_000
    }
}
