/// A command with everything that it takes, before and after its command line is read.
struct Invocation {
    /// The words that lead to the command, the program's name first.
    let path: [String]
    let command: any Command
    let parameters: [Parameter]
    private let connection: ConnectionOptions?

    init(_ type: any Command.Type, path: [String]) {
        self.path = path
        command = type.init()
        connection = command is any ServiceCommand ? ConnectionOptions() : nil
        parameters = Parameter.declared(by: command) + (connection.map { Parameter.declared(by: $0) } ?? [])
    }

    var arguments: [Parameter] { parameters.filter { $0.kind == .argument } }
    var options: [Parameter] { parameters.filter { $0.kind == .option } }

    /// Gives the command's properties their values.
    func bind(_ words: [String]) throws {
        var given: [String: [String]] = [:]
        var positional: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                positional += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                positional.append(word)
                continue
            }
            let option = try readOption(word, &rest)
            given[option.name, default: []].append(option.text)
        }
        try bindOptions(given)
        try bindArguments(positional)
    }

    /// Does what was asked for. The values must be bound.
    func run(on terminal: Terminal) throws -> ExitCode {
        switch command {
        case let command as any LocalCommand: return try command.run(terminal)
        case let command as any ServiceCommand:
            guard let connection else { return .usage }
            return try command.run(try Service(connection, on: terminal))
        default: return .usage
        }
    }

    private func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws -> (name: String, text: String) {
        let (spelling, inline) = split(word)
        guard let option = options.first(where: { $0.spelling == spelling }) else {
            let hint = Suggestion.phrase(for: spelling, among: options.map(\.spelling) + ["--help"]) ?? ""
            throw CommandError.usage("unknown option '\(spelling)'\(hint)")
        }
        if option.shape == .flag {
            guard inline == nil else { throw CommandError.usage("\(spelling) takes no value") }
            return (option.name, "")
        }
        // A value may begin with a dash only in `--name=value`: a forgotten value must not swallow the next option.
        guard let text = inline ?? (rest.first?.hasPrefix("--") == true ? nil : rest.popFirst()) else {
            throw CommandError.usage("\(spelling) needs a value: \(option.signature)")
        }
        return (option.name, text)
    }

    private func split(_ word: String) -> (spelling: String, inline: String?) {
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    private func bindOptions(_ given: [String: [String]]) throws {
        for option in options {
            let texts = given[option.name] ?? []
            if texts.isEmpty, option.isRequired, option.shape != .flag {
                throw CommandError.usage("\(option.signature) is needed")
            }
            if texts.count > 1, option.shape != .repeated {
                throw CommandError.usage("\(option.spelling) is given \(texts.count) times")
            }
            try bind(option, to: texts)
        }
    }

    private func bindArguments(_ positional: [String]) throws {
        var rest = positional[...]
        for argument in arguments {
            if argument.shape == .repeated {
                try bind(argument, to: Array(rest))
                rest = []
            } else {
                if rest.isEmpty, argument.isRequired { throw CommandError.usage("\(argument.spelling) is needed") }
                try bind(argument, to: rest.popFirst().map { [$0] } ?? [])
            }
        }
        if let extra = rest.first { throw CommandError.usage("'\(extra)' is one argument too many") }
    }

    private func bind(_ parameter: Parameter, to texts: [String]) throws {
        do {
            try parameter.bind(texts)
        } catch {
            throw CommandError.usage("\(parameter.spelling) \(error.reason)")
        }
    }
}
