/// Prints `docs/commands.md`.
struct PrintReference: LocalCommand {
    static let name = "reference"
    static let abstract = "Prints the page of all commands in Markdown."
    static let examples = ["signalbox reference > docs/commands.md"]
    static let isHidden = true

    func run(_ terminal: Terminal) throws -> ExitCode {
        terminal.say(ReferencePage(of: signalboxCommands).markdown)
        return .done
    }
}
