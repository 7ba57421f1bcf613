import FlagEvaluation

let auditCommands = CommandGroup("audit", "Reads who changed what, when and why.", [ListAudit.self, VerifyAudit.self])

/// Entries of the audit.
struct ListAudit: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists the newest entries of the audit, in the order of time."
    static let discussion = """
        With --after it reads on from there instead. A move of a whole flow or of everything has the subject flow/FLOW or \
        environment/NAME.
        """
    static let examples = [
        "signalbox audit list", "signalbox audit list --last 20 --subject route/trips.edit",
        "signalbox audit list --after 200 --limit 50",
    ]

    @Option("How many of the newest entries, to 1000; 100 unless it is given.") var last: Int?
    @Option("Only what was done to this, such as route/trips.edit, flow/trips or flag/new-search.") var subject: String?
    @Option("The sequence number after which to begin, instead of --last.") var after: Int?
    @Option("How many entries at most after that, to 1000; 100 unless it is given.") var limit: Int?

    func run(_ service: Service) throws -> ExitCode {
        guard last == nil || (after == nil && limit == nil) else {
            throw CommandError.usage("give --last, or --after with --limit")
        }
        let isPaged = after != nil || limit != nil
        let count = (isPaged ? limit : last) ?? 100
        let query = [
            ("after", isPaged ? "\(after ?? 0)" : nil), (isPaged ? "limit" : "last", "\(count)"), ("subject", subject),
        ]
        return try service.show(.get("audit", query: query)) { answer in
            var table = Table("NO", "AT", "WHO", "ACTION", "SUBJECT", "REVISION", "REASON")
            let entries = answer.list("entries")
            for entry in entries {
                table.add(
                    entry.shown("sequence"), entry.time("at"), entry.shown("actor"), action(of: entry),
                    entry.shown("subject"), entry.shown("revision"), entry.shown("reason"))
            }
            let text = service.tell(table, ifEmpty: "There are no such entries.")
            guard entries.count >= count, let first = entries.first, let last = entries.last else { return text }
            return text
                + (isPaged
                    ? "\nThere may be more: signalbox audit list --after \(last.shown("sequence"))"
                    : first.number("sequence") > 1 ? "\nThere may be older ones: signalbox audit list --after 0" : "")
        }
    }

    private func action(of entry: JSONValue) -> String {
        entry.shown("action") + (entry["after"]?["forced"] == .bool(true) ? " (forced)" : "")
    }
}

/// Has the whole audit walked.
struct VerifyAudit: ServiceCommand {
    static let name = "verify"
    static let abstract = "Recomputes every hash of the audit; ends with 1 if an entry was changed or is missing."
    static let discussion = """
        The service also compares the audit with anchor.json, which it writes beside the database every minute. A copy \
        of that file, kept on another machine, shows with --anchor what was cut off or written anew since.
        """
    static let examples = ["signalbox audit verify", "signalbox audit verify --anchor yesterday/anchor.json"]

    @Option("An anchor that was kept elsewhere, to compare the audit with.") var anchor: FilePath?

    func run(_ service: Service) throws -> ExitCode {
        let (answer, verdict) = try service.fetch(.get("audit", "verify"))
        let fault = try verdict["fault"]?.string ?? contradiction(to: verdict, in: service)
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else if let fault {
            service.terminal.say("The audit is broken after \(verdict.shown("entries")) entries: \(fault)")
        } else {
            service.terminal.say("The audit holds: \(verdict.shown("entries")) entries, head \(verdict.shown("head")).")
        }
        return fault == nil ? .done : .refused
    }

    /// What the audit that the service has does not share with the anchor in the file.
    private func contradiction(to verdict: JSONValue, in service: Service) throws -> String? {
        guard let anchor else { return nil }
        let json = try anchor.json()
        guard let sequence = json["sequence"]?.integer, let hash = json["hash"]?.string else {
            throw CommandError.usage("\(anchor.path) is no anchor: it has no sequence and hash")
        }
        guard verdict.number("entries") >= sequence else {
            return "The audit ends with entry \(verdict.shown("entries")); the anchor has seen entry \(sequence)."
        }
        guard sequence > 0 else { return nil }
        let page = Request.get("audit", query: [("after", "\(sequence - 1)"), ("limit", "1")])
        let entry = try service.fetch(page).value.list("entries").first
        let isSame = entry?["sequence"] == .integer(sequence) && entry?["hash"] == .string(hash)
        return isSame ? nil : "Entry \(sequence) is not the one that the anchor has seen."
    }
}
