import FlagEvaluation
import Rollouts

let referenceCommands = CommandGroup(
    "refs", "Finds what still refers to a legacy entry.", [ScanReferences.self])

/// Looks for the legacy symbols and the key of a route in a source tree.
struct ScanReferences: LocalCommand {
    static let name = "scan"
    static let abstract = "Lists what in a source tree still refers to a legacy entry, with file and line."
    static let discussion = """
        It reads Swift, Objective-C, Kotlin, Java and C files, storyboards, xibs, property lists and Xcode projects. A \
        name counts where it stands alone, a key where it stands in quotes; a reference in a comment is listed, and \
        does not count. Build products and links are passed over. It ends with 0 when nothing is left, with 1 when \
        something is, and with 2 when a file could not be read. Its JSON is the artefact of codeReferences evidence; \
        it names the commit, and says when the tree differs from it.
        """
    static let examples = [
        "signalbox refs scan . --route trips.edit",
        "signalbox refs scan ../app --symbol TripEditController --key trips.edit --json > references.json",
    ]

    @Argument("The folder.") var folder: FilePath
    @Option("A route of the service: its key and its legacy symbols are looked for.") var route: String?
    @Option("A file with one name a line; what follows a # is no name.") var symbols: FilePath?
    @Option("A name.") var symbol: [String] = []
    @Option("A key of a route or a flag.") var key: [String] = []
    let connection = ConnectionOptions()

    func run(_ terminal: Terminal) throws -> ExitCode {
        let patterns = try patterns(terminal)
        guard !patterns.isEmpty else {
            throw CommandError.usage("give what to look for: --route, --symbols, --symbol or --key")
        }
        let bytes = patterns.reduce(0) { $0 + $1.text.utf8.count }
        guard patterns.count <= SymbolMatcher.mostPatterns, bytes <= SymbolMatcher.largest else {
            throw CommandError.usage("at most 2000 names and keys of 64 KB together can be looked for")
        }
        guard folder.isFolder else { throw CommandError.usage("\(folder.path) is not a folder") }
        let scan = ReferenceScan(of: folder.path, for: patterns)
        let commit = SourceCommit(of: folder.path)
        if connection.json {
            terminal.emit(Array(JSONValue.object(scan.json(route: route, commit: commit)).jsonText.utf8))
        } else {
            terminal.say(ReferenceReport(of: scan, commit).text(coloured: terminal.isColoured))
        }
        return scan.verdict
    }

    private func patterns(_ terminal: Terminal) throws -> [SymbolMatcher.Pattern] {
        var (names, keys) = (symbol, key)
        if let symbols {
            names += String(decoding: try symbols.bytes(), as: UTF8.self).split(whereSeparator: \.isNewline)
                .compactMap { $0.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).first }
                .map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        }
        if let route {
            let answer = try Service(connection, on: terminal).fetch(.get("routes", route)).value
            let known = answer.list("legacySymbols").compactMap(\.string)
            if known.isEmpty, names.isEmpty {
                throw CommandError(
                    status: .inconclusive, code: "no_legacy_symbols",
                    message: "\(route) names no legacy symbols, so a scan would show nothing",
                    details: ["signalbox route edit \(route) --legacy-symbol NAME --reason …"])
            }
            names += known
            keys.append(route)
        }
        for name in names where !LegacySymbol.isValid(name) {
            throw CommandError.usage("'\(name.printable)' is no name: 3 to 128 bytes of ASCII without blanks")
        }
        var seen: Set<SymbolMatcher.Pattern> = []
        let all =
            names.map { SymbolMatcher.Pattern(text: $0, isKey: false) }
            + keys.map { SymbolMatcher.Pattern(text: $0, isKey: true) }
        // A name that is also a key is looked for as a name, which finds both.
        return all.filter { seen.insert(SymbolMatcher.Pattern(text: $0.text, isKey: false)).inserted }
    }
}
