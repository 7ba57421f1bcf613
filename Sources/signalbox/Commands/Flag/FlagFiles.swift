import FlagEvaluation
import Rollouts

/// Takes in a whole flagd file.
struct ImportFlags: ServiceCommand {
    static let name = "import"
    static let abstract = "Takes in a flagd file: its flags, its $evaluators as cohorts, its metadata."
    static let discussion =
        "All of it or nothing. What is not in the file stays; what was changed is named. Routes are never overwritten."
    static let examples = [
        "signalbox flag import flags.json --dry-run --reason 'From flagd'",
        "signalbox flag import flags.json --strict --reason 'From flagd'",
    ]

    @Argument("The file, in flagd's format; - is standard input.") var file: FilePath
    @Option("Refuses flags that are doubtful.") var strict: Bool
    @Option("How the splits of new flags hash; v2 unless it is given.") var bucketing: Bucketing?
    @Option("Accepts edits that move units by reordering a split or changing its total.") var reshuffle: Bool
    let change = TriedChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body["file"] = try file.json()
        if strict { body["strict"] = true }
        body.set("bucketing", bucketing?.rawValue)
        if reshuffle { body["reshuffle"] = true }
        return try service.show(.post("flags", "import", body: body)) { answer in
            var lines = ["flags", "cohorts"].map { kind in
                let counts = answer[kind] ?? .null
                let keys = counts.list("changedKeys").map(\.shown).joined(separator: ", ")
                return "\(kind): \(counts.shown("created")) created, \(counts.shown("changed")) changed"
                    + (keys.isEmpty ? "" : " (\(keys))") + ", \(counts.shown("unchanged")) as they were"
            }
            lines += answer.warningLines
            lines += answer.list("variantsChanged").filter { $0.number("changed") > 0 }.map(Self.line)
            lines.append(change.dryRun ? "Nothing has changed." : service.revision(of: answer))
            return lines.joined(separator: "\n")
        }
    }

    private static func line(_ flag: JSONValue) -> String {
        "\(flag.shown("flag")): \(flag.shown("changed")) of \(flag.shown("of")) units would change variant"
    }
}

/// Writes all flags as a flagd file.
struct ExportFlags: ServiceCommand {
    static let name = "export"
    static let abstract = "Prints all flags as a flagd file, with cohorts and metadata."
    static let examples = [
        "signalbox flag export > flags.json", "signalbox flag export --routes > sidecar.json",
    ]

    @Option("The generation of bucketing of whoever reads the file.") var bucketing: Bucketing = .v2
    @Option("Adds the routes, as the flags that decide their renderers.") var routes: Bool

    func run(_ service: Service) throws -> ExitCode {
        let query = [("bucketing", bucketing.rawValue), ("routes", routes ? "true" : nil)]
        return try service.show(.get("flags", "export", query: query)) { $0.prettyJSONText }
    }
}

extension Bucketing: SingleValue {}

/// Says what an edit would do.
struct PreviewFlag: ServiceCommand {
    static let name = "preview"
    static let abstract = "Says how many of 100000 units an edit of a flag would give another variant. Changes nothing."
    static let examples = ["signalbox flag preview new-search --file flags.json"]

    @Argument("The key of the flag.") var flag: String
    @Option("A file with the definition, or a whole flagd file; - is standard input.") var file: FilePath?
    @Option("The definition itself.") var definition: JSONText?

    func run(_ service: Service) throws -> ExitCode {
        let body: JSONObject = [
            "reason": "preview", "dryRun": true, "reshuffle": true,
            "definition": try FlagDefinitionSource(file: file, definition: definition).definition(of: flag),
        ]
        return try service.show(.put("flags", flag, body: body)) { answer in
            let counted = answer.list("variantsChanged").first ?? .null
            guard !counted.isNull else { return "The definition is what it was: nobody would change variant." }
            var table = Table("FROM", "TO", "UNITS")
            for pair in counted.list("pairs") {
                table.add(Self.variant(pair["from"]), Self.variant(pair["to"]), pair.shown("units"))
            }
            var lines = ["Of \(counted.shown("of")) units, \(counted.shown("changed")) would change variant."]
            if !table.rows.isEmpty { lines.append(service.tell(table, ifEmpty: "")) }
            for split in counted.list("reshuffles") {
                lines.append("\(split.shown("path")): \(Self.phrase(split.shown("cause"))); needs --reshuffle")
            }
            return lines.joined(separator: "\n")
        }
    }

    private static func variant(_ value: JSONValue?) -> String { value?.string?.printable ?? "(caller's default)" }

    private static func phrase(_ cause: String) -> String {
        switch cause {
        case "order": "variants stand in another order"
        case "total": "the weights add up to something else"
        default: "something else is hashed"
        }
    }
}

/// The definition of one flag, as it was given on the command line.
struct FlagDefinitionSource {
    let file: FilePath?
    let definition: JSONText?

    func definition(of flag: String) throws -> JSONValue {
        switch (file, definition) {
        case (nil, let definition?): return definition.value
        case (let file?, nil):
            let value = try file.json()
            guard let all = value["flags"], value["variants"] == nil else { return value }
            let shared = value.object?.keys.filter { $0 != "flags" && $0 != "$schema" } ?? []
            guard let flags = all.object, shared.isEmpty else {
                let why = shared.isEmpty ? "lists its flags" : "also has \(shared.map(\.printable).listed)"
                throw CommandError.usage(
                    "\(file.path) \(why), which one flag cannot carry: signalbox flag import \(file.path)")
            }
            guard let found = flags[flag] else {
                let hint = Suggestion.phrase(for: flag, among: flags.keys) ?? ""
                throw CommandError.usage("\(file.path) has no flag '\(flag)'\(hint)")
            }
            return found
        default: throw CommandError.usage("give one of --file and --definition")
        }
    }
}
