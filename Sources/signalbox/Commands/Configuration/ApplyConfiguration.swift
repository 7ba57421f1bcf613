import FlagEvaluation
import Rollouts

/// Makes the environment as a document says.
struct ApplyConfiguration: ServiceCommand {
    static let name = "apply"
    static let abstract = "Makes the environment as a document says, all or nothing, where that widens nothing."
    static let discussion = """
        The document is an edit of the revision that it names: what others changed since is kept, and what both changed is \
        refused. It never advances, resumes or widens anything; the verbs that would are listed. Flows, routes and \
        builds are never removed.
        """
    static let examples = [
        "signalbox config apply production.json --dry-run --reason 'New ladder for orders'",
        "signalbox config apply staging.json --replace --reason 'Set up production'",
    ]

    @Argument("The document; - is standard input.") var file: FilePath
    @Option("Takes the document for how everything is to be, whatever others changed, also in another environment.")
    var replace: Bool
    @Option("Accepts edits that move units by reordering a split or changing its total.") var reshuffle: Bool
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["document"] = try file.document()
        if replace { body["replace"] = true }
        if reshuffle { body["reshuffle"] = true }
        return try service.show(.post("config", "apply", body: body)) { answer in
            AppliedDocument.text(answer, service, isDryRun: change.dryRun)
        }
    }
}

extension FilePath {
    /// The file as a whole environment. It may hold as much as the service takes: what was exported can be read again.
    func document() throws -> JSONValue {
        try json(limits: ConfigurationDocument.limits())
    }
}

/// What applying a document did, and what it left.
enum AppliedDocument {
    static func text(_ answer: JSONValue, _ service: Service, isDryRun: Bool) -> String {
        var lines = [DifferenceReport.text(answer.list("changes"), ifEmpty: "There is nothing to change.")]
        let hidden = answer.number("changesTotal") - Int64(answer.list("changes").count)
        if hidden > 0 { lines.append("and \(hidden) more") }
        let remaining = answer.list("remaining")
        if !remaining.isEmpty {
            lines.append("Not done, because only a verb may:")
            lines += remaining.map { "  \($0.shown("path")): \($0.shown("verb"))" }
        }
        lines += answer.warningLines
        lines.append(isDryRun ? "Nothing has changed." : service.revision(of: answer))
        return lines.joined(separator: "\n")
    }
}
