import FlagEvaluation

let auditCommands = CommandGroup("audit", "Reads who changed what, when and why.", [ListAudit.self, VerifyAudit.self])

/// Entries of the audit.
struct ListAudit: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists entries of the audit, oldest first."
    static let examples = ["signalbox audit list", "signalbox audit list --after 200 --limit 50"]

    @Option("The sequence number after which to begin.") var after: Int = 0
    @Option("How many entries at most, to 1000.") var limit: Int = 100

    func run(_ service: Service) throws -> ExitCode {
        let query = [("after", "\(after)"), ("limit", "\(limit)")]
        return try service.show(.get("audit", query: query)) { answer in
            var table = Table("NO", "AT", "WHO", "ACTION", "SUBJECT", "REVISION", "REASON")
            let entries = answer.list("entries")
            for entry in entries {
                table.add(
                    entry.shown("sequence"), entry.time("at"), entry.shown("actor"), entry.shown("action"),
                    entry.shown("subject"), entry.shown("revision"), entry.shown("reason"))
            }
            let text = service.tell(table, ifEmpty: "There are no entries after \(after).")
            guard entries.count >= limit, let last = entries.last else { return text }
            return text + "\nThere may be more: signalbox audit list --after \(last.shown("sequence"))"
        }
    }
}

/// Has the whole audit walked.
struct VerifyAudit: ServiceCommand {
    static let name = "verify"
    static let abstract = "Recomputes every hash of the audit; ends with 1 if an entry was changed or is missing."
    static let examples = ["signalbox audit verify"]

    func run(_ service: Service) throws -> ExitCode {
        let (answer, verdict) = try service.fetch(.get("audit", "verify"))
        let fault = verdict["fault"]?.string
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else if let fault {
            service.terminal.say("The audit is broken after \(verdict.shown("entries")) entries: \(fault)")
        } else {
            service.terminal.say("The audit holds: \(verdict.shown("entries")) entries, head \(verdict.shown("head")).")
        }
        return fault == nil ? .done : .refused
    }
}
