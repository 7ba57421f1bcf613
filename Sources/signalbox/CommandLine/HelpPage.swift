/// What `--help` prints, made of the declarations.
struct HelpPage {
    let text: String
    private static let width = 88

    /// The page of a command.
    init(_ invocation: Invocation) {
        let type = type(of: invocation.command)
        var sections = [type.abstract, "USAGE\n  \(Self.usage(invocation))"]
        if !type.discussion.isEmpty { sections.insert(Self.wrapped(type.discussion, indent: 0), at: 1) }
        if !invocation.arguments.isEmpty {
            sections.append("ARGUMENTS\n" + Self.list(invocation.arguments.map { ($0.signature, Self.explain($0)) }))
        }
        let options = invocation.options.map { ($0.signature, Self.explain($0)) } + [("--help", "Shows this page.")]
        sections.append("OPTIONS\n" + Self.list(options))
        let heading = type.examples.count == 1 ? "EXAMPLE" : "EXAMPLES"
        sections.append(heading + "\n" + type.examples.map { "  \($0)" }.joined(separator: "\n"))
        text = sections.joined(separator: "\n\n")
    }

    /// The page of a group.
    init(_ group: CommandGroup, path: [String]) {
        let program = path.joined(separator: " ")
        var sections = [group.abstract, "USAGE\n  \(program) COMMAND [ARGUMENTS] [OPTIONS]"]
        sections.append("COMMANDS\n" + Self.list(group.visibleMembers.map { ($0.name, $0.abstract) }))
        if path.count == 1 {
            let options = [
                ("help COMMAND", "The same as COMMAND --help."), ("--help", "Shows this page."),
                ("--version", "Says which version this is."),
            ]
            sections.append("OPTIONS\n" + Self.list(options))
            let variables = ConnectionOptions.variables.map { ($0.name, $0.help) }
            sections.append("ENVIRONMENT\n" + Self.list(variables))
            let statuses = ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }
            sections.append("EXIT STATUS\n" + Self.list(statuses))
        }
        if let example = group.allCommands.first(where: { !$0.command.isHidden })?.command.examples.first {
            sections.append("EXAMPLE\n  \(example)")
        }
        sections.append("'\(program) COMMAND --help' tells more of each.")
        text = sections.joined(separator: "\n\n")
    }

    private static func usage(_ invocation: Invocation) -> String {
        var words = invocation.path
        words += invocation.arguments.map { argument in
            let name = argument.shape == .repeated ? argument.spelling + "…" : argument.spelling
            return argument.isRequired ? name : "[\(name)]"
        }
        words += invocation.options.filter(\.isRequired).map(\.signature)
        return (words + ["[OPTIONS]"]).joined(separator: " ")
    }

    private static func explain(_ parameter: Parameter) -> String {
        var help = parameter.help
        if parameter.kind == .argument, !parameter.choices.isEmpty { help += " One of \(parameter.placeholder)." }
        if parameter.kind == .option, parameter.isRequired { help += " Needed." }
        if parameter.kind == .option, parameter.shape == .repeated { help += " May be repeated." }
        if let text = parameter.defaultText { help += " Default: \(text)." }
        return help
    }

    /// Names to the left, explanations to the right; a long name stands on a line of its own.
    private static func list(_ rows: [(name: String, help: String)]) -> String {
        let column = min(26, rows.map(\.name.count).max() ?? 0) + 4
        return rows.map { name, help in
            let explanation = wrapped(help, indent: column)
            guard name.count + 4 <= column else { return "  \(name)\n\(explanation)" }
            return "  \(name)" + explanation.dropFirst(name.count + 2)
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        return text.wrapped(to: width - indent).map { margin + $0 }.joined(separator: "\n")
    }
}
