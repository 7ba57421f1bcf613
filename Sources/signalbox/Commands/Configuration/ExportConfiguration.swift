import FlagEvaluation

/// Writes the environment as a document.
struct ExportConfiguration: ServiceCommand {
    static let name = "export"
    static let abstract = "Prints everything that is configured, but keys, as one canonical JSON document."
    static let discussion =
        "Equal configurations give equal bytes. With --pretty it is indented, which diff and apply read as well."
    static let examples = [
        "signalbox config export > production.json", "signalbox config export --pretty > production.json",
    ]

    @Option("Indents, for people and for version control.") var pretty: Bool

    func run(_ service: Service) throws -> ExitCode {
        let (answer, value) = try service.fetch(.get("config", "export"))
        if pretty {
            // Sorted as the canonical form is.
            service.terminal.say(value.prettyJSONText)
        } else {
            service.terminal.emit(answer.body)
        }
        return .done
    }
}
