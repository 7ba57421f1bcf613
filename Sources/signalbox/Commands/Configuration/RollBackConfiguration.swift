import FlagEvaluation

/// Brings back an earlier revision.
struct RollBackConfiguration: ServiceCommand {
    static let name = "rollback"
    static let abstract = "Brings back an earlier revision, as a new one, where that widens nothing."
    static let discussion = """
        It takes back flags, cohorts, ladders and settings. It never advances or resumes a route; the verbs that would are \
        listed. To stop routes, use rollback without config.
        """
    static let examples = ["signalbox config rollback --to 41 --dry-run --reason 'The edits of this morning'"]

    @Option("The revision; see config history.") var to: Int
    @Option("Accepts changes that move units by reordering a split or changing its total.") var reshuffle: Bool
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("to", to)
        if reshuffle { body["reshuffle"] = true }
        return try service.show(.post("config", "rollback", body: body)) { answer in
            AppliedDocument.text(answer, service, isDryRun: change.dryRun)
        }
    }
}

/// The revisions of the environment.
struct ListRevisions: ServiceCommand {
    static let name = "history"
    static let abstract = "Lists the newest revisions, with what made them."
    static let examples = ["signalbox config history", "signalbox config history --last 20"]

    @Option("How many, to 1000.") var last: Int = 50

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("audit", query: [("last", "\(last)")])) { answer in
            var table = Table("REVISION", "AT", "WHO", "ACTION", "SUBJECT", "REASON")
            var revision: Int64 = 0
            for entry in answer.list("entries") where entry.number("revision") > revision {
                revision = entry.number("revision")
                table.add(
                    "\(revision)", entry.time("at"), entry.shown("actor"), entry.shown("action"),
                    entry.shown("subject"), entry.shown("reason"))
            }
            return service.tell(table, ifEmpty: "There are no revisions yet.")
        }
    }
}
