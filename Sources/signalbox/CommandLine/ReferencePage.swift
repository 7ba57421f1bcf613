/// `docs/commands.md`, made of the declarations.
struct ReferencePage {
    let markdown: String

    init(of root: CommandGroup) {
        let statuses = ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" }
        let variables = ConnectionOptions.variables.map { "| `\($0.name)` | \($0.help) |" }
        let commands = root.allCommands.filter { !$0.command.isHidden }.map { path, type in
            let invocation = Invocation(type, path: path)
            let words = path + invocation.arguments.map(\.spelling)
            return "| `\(words.joined(separator: " "))` | \(type.abstract) |"
        }
        markdown = """
            # Commands

            Made by `\(root.name) reference`; a test compares. Every command has `--help` with an example. Those that ask the
            service have `--json`, which prints the service's JSON unchanged; `\(root.name) help COMMAND` is the same as
            `--help`.

            | command | what it does |
            | --- | --- |
            \(commands.joined(separator: "\n"))

            ## Exit status
            | status | meaning |
            | --- | --- |
            \(statuses.joined(separator: "\n"))

            Errors go to standard error, as `\(root.name): code: message` with details below. With `--json` the service's error is
            also printed on standard output as it came.

            ## Environment
            | variable | meaning |
            | --- | --- |
            \(variables.joined(separator: "\n"))
            """
    }
}
