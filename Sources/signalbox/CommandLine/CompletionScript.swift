/// Scripts that complete commands, options and fixed values, made of the declarations, and keys, asked of the service.
struct CompletionScript {
    private let root: CommandGroup

    init(of root: CommandGroup) { self.root = root }

    /// For bash, to be sourced.
    var bash: String {
        """
        _\(root.name)() {
            local path=\(root.name) word i
            local current="${COMP_WORDS[COMP_CWORD]}" glued="" before=$((COMP_CWORD - 1))
            COMPREPLY=()
            # bash takes = and : for words of their own.
            if [ "$current" = : ]; then
                glued="${COMP_WORDS[before]}:" current="" before=$((before - 1))
            elif [ "${COMP_WORDS[before]}" = : ]; then
                glued="${COMP_WORDS[before-1]}:" before=$((before - 2))
            fi
            if [ "$current" = = ]; then
                current=""
            elif [ "${COMP_WORDS[before]}" = = ]; then
                before=$((before - 1))
            fi
            current="$glued$current"
            local previous="${COMP_WORDS[before]}"
            for ((i = 1; i < COMP_CWORD; i++)); do
                word="${COMP_WORDS[i]}"
                case "$path $word" in
                    \(pattern(allPaths))) path="$path $word" ;;
                esac
            done
            case "$path $previous" in
        \(valueCases(indent: 8, words: { "_\(root.name)_offer '\($0)'" },
                     keys: { "_\(root.name)_keys \($0)" }, files: "COMPREPLY=($(compgen -f -- \"$current\"))"))
            esac
            case "$path" in
        \(pathCases(indent: 8, words: { "_\(root.name)_offer '\($0)'" }, keys: { "_\(root.name)_keys \($0)" }))
            esac
        }
        _\(root.name)_offer() {
            COMPREPLY+=($(compgen -W "$1" -- "$current"))
            COMPREPLY=("${COMPREPLY[@]#"$glued"}")
        }
        _\(root.name)_keys() {
            case "$current" in -*) return ;; esac
            _\(root.name)_offer "$("${COMP_WORDS[0]}" \(PrintKeys.name) "$1" --timeout 1 2>/dev/null)"
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
            local current="${words[CURRENT]}" previous="${words[CURRENT-1]}"
            case "$current" in --*=*) previous="${current%%=*}"; compset -P '*=' ;; esac
            for ((i = 2; i < CURRENT; i++)); do
                word="${words[i]}"
                case "$route $word" in
                    \(pattern(allPaths))) route="$route $word" ;;
                esac
            done
            case "$route $previous" in
        \(valueCases(indent: 8, words: { "compadd -- \($0)" }, keys: { "_\(root.name)_keys \($0)" }, files: "_files"))
            esac
            case "$route" in
        \(pathCases(indent: 8, words: { "compadd -- \($0)" }, keys: { "_\(root.name)_keys \($0)" }))
            esac
        }
        _\(root.name)_keys() { compadd -- ${(f)"$("${words[1]}" \(PrintKeys.name) "$1" --timeout 1 2>/dev/null)"} }
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

    /// After an option that takes a value: its choices, keys, a file, or nothing.
    private func valueCases(
        indent: Int, words: (String) -> String, keys: (PrintKeys.Noun) -> String, files: String
    ) -> String {
        lines(indent: indent) {
            commands.flatMap { command in
                command.options.filter { $0.shape != .flag }.map { option in
                    let body: String
                    if !option.choices.isEmpty {
                        body = words(option.choices.joined(separator: " ")) + "; "
                    } else if let noun = PrintKeys.Noun(of: option) {
                        body = keys(noun) + "; "
                    } else {
                        body = option.placeholder == FilePath.placeholder ? files + "; " : ""
                    }
                    return "'\((command.path + [option.spelling]).joined(separator: " "))') \(body)return ;;"
                }
            }
        }
    }

    /// Anywhere else: what may follow the words so far.
    private func pathCases(
        indent: Int, words: (String) -> String, keys: (PrintKeys.Noun) -> String
    ) -> String {
        lines(indent: indent) {
            root.allGroups.map { path, group in
                let names = group.visibleMembers.map(\.name) + (path.count == 1 ? ["help", "--version"] : [])
                return "'\(path.joined(separator: " "))') \(words((names + ["--help"]).joined(separator: " "))) ;;"
            }
                + commands.map { command in
                    let names = command.arguments.flatMap(\.choices) + command.options.map(\.spelling) + ["--help"]
                    let offered = words(names.joined(separator: " "))
                    let asked = command.arguments.first.flatMap { PrintKeys.Noun(of: $0) }.map { noun in
                        "if [ \"$previous\" = \(command.path.last ?? "") ]; then \(keys(noun)); fi; "
                    }
                    return "'\(command.path.joined(separator: " "))') \(asked ?? "")\(offered) ;;"
                }
        }
    }

    private func lines(indent: Int, _ make: () -> [String]) -> String {
        make().map { String(repeating: " ", count: indent) + $0 }.joined(separator: "\n")
    }
}
