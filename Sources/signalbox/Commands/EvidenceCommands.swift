import FlagEvaluation
import Rollouts

let evidenceCommands = CommandGroup(
    "evidence", "Keeps the proof on which routes are moved; the service judges every artefact itself.",
    [PushEvidence.self, ListEvidence.self, ShowEvidence.self])

extension EvidenceItem.Kind: SingleValue {
    /// All of them would not fit on a line.
    static var placeholder: String { "KIND" }
}

/// Hands an artefact in.
struct PushEvidence: ServiceCommand {
    static let name = "push"
    static let abstract = "Hands in an artefact; the service judges it and stores what it shows."
    static let discussion =
        "Ends with 1 when it shows a failure and with 2 when it shows nothing either way; it is stored all the same. The same "
        + "artefact again changes nothing. An artefact holds at most 1 MB."
    static let examples = [
        "signalbox evidence push trips.edit --kind parity --build app:730 --artefact parity.json --reason 'CI run 512'"
    ]

    @Argument("The key of the route.") var route: String
    @Option("What it shows, such as parity; completion lists all.") var kind: EvidenceItem.Kind
    @Option("The build that it was made with, such as app:730.") var build: String
    @Option("The file.") var artefact: FilePath
    @Option("What made it; the holder of the key unless it is said.") var producer: String?
    @Option("The hash of the contract that it is of; 'route show --json' has it.") var contract: String?
    @Option("How long it counts from now, if shorter than its kind does; or a time.") var expires: Ending?
    @Option("Why; the audit shows it.") var reason: String

    func run(_ service: Service) throws -> ExitCode {
        var body: JSONObject = ["reason": .string(reason)]
        body["kind"] = .string(kind.rawValue)
        body["build"] = .string(build)
        body.set("producer", producer)
        body.set("contract", contract)
        body.set("expiresAt", expires?.time(from: .now))
        let bytes = try artefact.bytes()
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError.usage("\(artefact) is not UTF-8")
        }
        body["artefact"] = .string(text)
        let (answer, value) = try service.fetch(.post("routes", route, "evidence", body: body))
        let finding = value["evidence"]?["finding"] ?? .null
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else {
            service.terminal.say(service.text(ofEvidence: value["evidence"] ?? .null))
        }
        switch finding.shown("verdict") {
        case "pass": return .done
        case "fail": return .refused
        default: return .inconclusive
        }
    }
}

/// Evidence in a table.
struct ListEvidence: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists evidence, the newest first, what has expired included."
    static let examples = [
        "signalbox evidence list", "signalbox evidence list --route trips.edit --kind parity --limit 500",
    ]

    @Option("Only that of one route.") var route: String?
    @Option("Only that of one kind.") var kind: EvidenceItem.Kind?
    @Option("Only what is older than this id: the last of a page before.") var before: String?
    @Option("The most items, up to 500; 100 unless it is said.") var limit: Int?

    func run(_ service: Service) throws -> ExitCode {
        let query = [
            ("route", route), ("kind", kind?.rawValue), ("before", before), ("limit", limit.map(String.init)),
        ]
        return try service.show(.get("evidence", query: query)) { answer in
            var table = Table("ID", "ROUTE", "KIND", "BUILD", "VERDICT", "CREATED", "EXPIRES")
            for item in answer.list("evidence") {
                table.add(
                    item.shown("id"), item.shown("route"), item.shown("kind"), item.shown("build"),
                    item["finding"]?.shown("verdict") ?? "", item.time("createdAt"), item.ending("expiresAt"))
            }
            return service.tell(table, ifEmpty: "There is no evidence.")
        }
    }
}

/// One item.
struct ShowEvidence: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows an item of evidence, or with --artefact the file itself."
    static let examples = [
        "signalbox evidence show 01890a5d-ac96-774b-bcce-b302099a8057",
        "signalbox evidence show 01890a5d-ac96-774b-bcce-b302099a8057 --artefact > parity.json",
    ]

    @Argument("The id.") var id: UUIDv7
    @Option("Prints the artefact as it was handed in.") var artefact: Bool

    func run(_ service: Service) throws -> ExitCode {
        let query = [("artefact", artefact ? "true" : nil)]
        let (answer, value) = try service.fetch(.get("evidence", id.text, query: query))
        if service.isJSON {
            service.terminal.emit(answer.body)
        } else if artefact {
            service.terminal.emit(Array((value["artefact"]?.string ?? "").utf8))
        } else {
            service.terminal.say(service.text(ofEvidence: value["evidence"] ?? .null))
        }
        return .done
    }
}

extension Service {
    /// An item with what was found in it.
    func text(ofEvidence item: JSONValue) -> String {
        let finding = item["finding"] ?? .null
        let coverage = finding.list("coverage").map { part in
            "\(part.shown("scenario")) at \(part.shown("textSize")): \(part.shown("verdict"))"
        }
        let reasons = finding.list("reasons").map { "  \($0.shown)" }
        return
            ([
                facts([
                    "evidence": item.shown("id"), "route": item.shown("route"), "kind": item.shown("kind"),
                    "verdict": finding.shown("verdict"), "build": item.shown("build"),
                    "producer": item.shown("producer"), "created": item.time("createdAt"),
                    "expires": item.ending("expiresAt"),
                    "artefact": "\(item.shown("artefact")), \(item.shown("size")) bytes",
                    "compared": coverage.listed, "releases": finding.list("releases").map(\.shown).listed,
                    "commit": finding.shown("commit"), "device tier": finding.shown("deviceTier"),
                ])
            ] + reasons).joined(separator: "\n")
    }
}
