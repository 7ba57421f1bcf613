/// Scripts that complete commands, options and fixed values, made of the declarations.
struct CompletionScript {
    private let root: CommandGroup

    init(of root: CommandGroup) { self.root = root }

    /// For bash, to be sourced.
    var bash: String {
        """
        _\(root.name)() {
            local path=\(root.name) word i
            local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
            COMPREPLY=()
            for ((i = 1; i < COMP_CWORD; i++)); do
                word="${COMP_WORDS[i]}"
                case "$path $word" in
                    \(pattern(allPaths))) path="$path $word" ;;
                esac
            done
            case "$path $previous" in
        \(valueCases(indent: 8, words: { "COMPREPLY=($(compgen -W '\($0)' -- \"$current\"))" },
                     files: "COMPREPLY=($(compgen -f -- \"$current\"))"))
            esac
            case "$path" in
        \(pathCases(indent: 8) { "COMPREPLY=($(compgen -W '\($0)' -- \"$current\"))" })
            esac
        }
        complete -F _\(root.name) \(root.name)
        """
    }

    /// For zsh, to be put on `fpath` as `_signalbox`, or sourced.
    var zsh: String {
        """
        #compdef \(root.name)
        _\(root.name)() {
            local route=\(root.name) word i
            for ((i = 2; i < CURRENT; i++)); do
                word="${words[i]}"
                case "$route $word" in
                    \(pattern(allPaths))) route="$route $word" ;;
                esac
            done
            case "$route ${words[CURRENT-1]}" in
        \(valueCases(indent: 8, words: { "compadd -- \($0)" }, files: "_files"))
            esac
            case "$route" in
        \(pathCases(indent: 8) { "compadd -- \($0)" })
            esac
        }
        if [ "${funcstack[1]}" = _\(root.name) ]; then _\(root.name) "$@"; else compdef _\(root.name) \(root.name); fi
        """
    }

    private var commands: [Invocation] {
        root.allCommands.filter { !$0.command.isHidden }.map { Invocation($0.command, path: $0.path) }
    }

    /// Every way to a group or command, below the root.
    private var allPaths: [String] {
        let paths = root.allGroups.dropFirst().map(\.path) + commands.map(\.path)
        return paths.map { $0.joined(separator: " ") }
    }

    private func pattern(_ texts: [String]) -> String { texts.map { "'\($0)'" }.joined(separator: "|") }

    /// After an option that takes a value: its choices, a file, or nothing.
    private func valueCases(indent: Int, words: (String) -> String, files: String) -> String {
        lines(indent: indent) {
            commands.flatMap { command in
                command.options.filter { $0.shape != .flag }.map { option in
                    let body: String
                    if !option.choices.isEmpty {
                        body = words(option.choices.joined(separator: " ")) + "; "
                    } else {
                        body = option.placeholder == FilePath.placeholder ? files + "; " : ""
                    }
                    return "'\((command.path + [option.spelling]).joined(separator: " "))') \(body)return ;;"
                }
            }
        }
    }

    /// Anywhere else: what may follow the words so far.
    private func pathCases(indent: Int, words: (String) -> String) -> String {
        lines(indent: indent) {
            root.allGroups.map { path, group in
                let names = group.visibleMembers.map(\.name) + (path.count == 1 ? ["help", "--version"] : [])
                return "'\(path.joined(separator: " "))') \(words((names + ["--help"]).joined(separator: " "))) ;;"
            }
                + commands.map { command in
                    let names = command.arguments.flatMap(\.choices) + command.options.map(\.spelling) + ["--help"]
                    return "'\(command.path.joined(separator: " "))') \(words(names.joined(separator: " "))) ;;"
                }
        }
    }

    private func lines(indent: Int, _ make: () -> [String]) -> String {
        make().map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }
}
