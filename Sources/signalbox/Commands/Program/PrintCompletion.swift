/// Prints a script for a shell.
struct PrintCompletion: LocalCommand {
    static let name = "completion"
    static let abstract = "Prints the script that completes commands and options in a shell."
    static let examples = [
        "source <(signalbox completion bash)",
        "signalbox completion zsh > ~/.zfunc/_signalbox",
    ]

    @Argument("The shell.") var shell: Shell

    enum Shell: String, CaseIterable, SingleValue { case bash, zsh }

    func run(_ terminal: Terminal) throws -> ExitCode {
        let script = CompletionScript(of: signalboxCommands)
        terminal.say(shell == .bash ? script.bash : script.zsh)
        return .done
    }
}
