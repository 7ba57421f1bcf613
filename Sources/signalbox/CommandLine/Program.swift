/// The whole command line: finds the command, reads its words, runs it, and says what went wrong.
struct Program {
    let root: CommandGroup

    /// Runs one command line, given without the program's name.
    func run(_ words: [String], on terminal: Terminal) -> ExitCode {
        var path = [root.name]
        do {
            return try dispatch(words, on: terminal, path: &path)
        } catch let error as CommandError {
            report(error, path: path, asJSON: words.contains("--json"), on: terminal)
            return error.status
        } catch {
            terminal.complain("\(root.name): \(error)")
            return .unavailable
        }
    }

    private func dispatch(_ words: [String], on terminal: Terminal, path: inout [String]) throws -> ExitCode {
        if words == ["--version"] {
            terminal.say("\(root.name) \(version)")
            return .done
        }
        if words.first == "help" {
            terminal.say(try help(for: Array(words.dropFirst())))
            return .done
        }
        var group = root
        var rest = words[...]
        var early: [String] = []
        while true {
            guard let word = rest.popFirst() else { return try askForMore(group, path, on: terminal) }
            if word == "--help" || word == "-h" {
                terminal.say(HelpPage(group, path: path).text)
                return .done
            }
            if word.hasPrefix("-") {
                early += try takeEarlyOption(word, &rest)
                continue
            }
            switch group.member(named: word) {
            case .group(let next):
                path.append(word)
                group = next
            case .command(let command):
                path.append(word)
                return try run(command, Array(rest) + early, path, on: terminal)
            case nil: throw unknown(word, in: group)
            }
        }
    }

    private func run(
        _ type: any Command.Type, _ words: [String], _ path: [String], on terminal: Terminal
    ) throws -> ExitCode {
        let invocation = Invocation(type, path: path)
        if words.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
            terminal.say(HelpPage(invocation).text)
            return .done
        }
        try invocation.bind(words)
        return try invocation.run(on: terminal)
    }

    /// `signalbox --url … route list`: the options of the connection may also stand before the command.
    private func takeEarlyOption(_ word: String, _ rest: inout ArraySlice<String>) throws -> [String] {
        let spelling = word.prefix { $0 != "=" }
        guard let option = Parameter.declared(by: ConnectionOptions()).first(where: { $0.spelling == spelling }) else {
            throw CommandError.usage("'\(spelling)' must follow the command that it belongs to")
        }
        if option.shape == .flag || word.contains("=") { return [word] }
        return rest.popFirst().map { [word, $0] } ?? [word]
    }

    /// The help of the command or group that the words lead to.
    private func help(for words: [String]) throws -> String {
        var group = root
        var path = [root.name]
        for word in words where !word.hasPrefix("-") {
            path.append(word)
            switch group.member(named: word) {
            case .group(let next): group = next
            case .command(let command): return HelpPage(Invocation(command, path: path)).text
            case nil: throw unknown(word, in: group)
            }
        }
        return HelpPage(group, path: path).text
    }

    private func askForMore(_ group: CommandGroup, _ path: [String], on terminal: Terminal) throws -> ExitCode {
        let page = HelpPage(group, path: path).text
        guard path.count > 1 else {
            terminal.say(page)
            return .done
        }
        // A script whose variable for the verb is empty must not pass.
        terminal.complain(page)
        return .usage
    }

    private func unknown(_ word: String, in group: CommandGroup) -> CommandError {
        let hint = Suggestion.phrase(for: word, among: group.visibleMembers.map(\.name)) ?? ""
        return .usage("unknown command '\(word)'\(hint)")
    }

    private func report(_ error: CommandError, path: [String], asJSON: Bool, on terminal: Terminal) {
        if asJSON, let document = error.document { terminal.emit(document) }
        terminal.complain("\(root.name): \(error.code): \(error.message)")
        for line in error.details { terminal.complain("  \(line)") }
        if error.status == .usage, error.code == "usage" {
            terminal.complain("See '\(path.joined(separator: " ")) --help'.")
        }
    }
}
