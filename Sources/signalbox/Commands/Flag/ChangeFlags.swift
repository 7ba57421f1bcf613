import FlagEvaluation
import Rollouts

/// Writes a flag.
struct SetFlag: ServiceCommand {
    static let name = "set"
    static let abstract = "Makes a flag, or replaces its definition."
    static let discussion =
        "The definition is one flag in flagd's format. A file may also be a flagd file with the flag among others; one that "
        + "shares evaluators or metadata between its flags is for 'signalbox flag import'."
    static let examples = [
        "signalbox flag set new-search --file flags.json --reason 'Search is ready for beta'",
        """
        signalbox flag set dark --definition '{"state":"ENABLED","variants":{"on":true},"defaultVariant":"on"}' --reason 'On'
        """,
    ]

    @Argument("The key of the flag.") var flag: String
    @Option("A file with the definition; - is standard input.") var file: FilePath?
    @Option("The definition itself.") var definition: JSONText?
    @Option("Refuses a definition that is doubtful.") var strict: Bool
    @Option("How the splits of a new flag hash; v2 unless it is given.") var bucketing: Bucketing?
    @Option("Accepts an edit that moves units by reordering a split or changing its total.") var reshuffle: Bool
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["definition"] = try FlagDefinitionSource(file: file, definition: definition).definition(of: flag)
        if strict { body["strict"] = true }
        body.set("bucketing", bucketing?.rawValue)
        if reshuffle { body["reshuffle"] = true }
        return try service.show(.put("flags", flag, body: body)) { answer in
            let line = "\(flag.printable) is set. \(service.revision(of: answer))"
            return ([line] + (answer["flag"] ?? .null).warningLines).joined(separator: "\n")
        }
    }
}

/// Lets a flag decide again.
struct EnableFlag: ServiceCommand {
    static let name = "enable"
    static let abstract = "Enables a flag."
    static let examples = ["signalbox flag enable new-search --reason 'Index is rebuilt'"]

    @Argument("The key of the flag.") var flag: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.change(.post("flags", flag, "enable", body: change.body), said: "\(flag.printable) is enabled.")
    }
}

/// Makes a flag answer nothing, so that callers use their own default.
struct DisableFlag: ServiceCommand {
    static let name = "disable"
    static let abstract = "Disables a flag: callers get their own default."
    static let examples = ["signalbox flag disable new-search --reason 'Index is broken'"]

    @Argument("The key of the flag.") var flag: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.change(.post("flags", flag, "disable", body: change.body), said: "\(flag.printable) is disabled.")
    }
}

/// Removes a flag.
struct DeleteFlag: ServiceCommand {
    static let name = "delete"
    static let abstract = "Deletes a flag."
    static let examples = ["signalbox flag delete new-search --reason 'Everybody has it'"]

    @Argument("The key of the flag.") var flag: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        let request = Request.delete("flags", flag, query: change.query)
        return try service.change(request, said: "\(flag.printable) is deleted.")
    }
}
