import FlagEvaluation
import Parity

/// Judges a recording of the migrated entry by one of the legacy entry.
struct CompareRecordings: LocalCommand {
    static let name = "compare"
    static let abstract = "Compares a recording of the migrated entry with one of the legacy entry."
    static let discussion = """
        A recording is JSON Lines, written by a test with the recorder of the module Parity. It ends with 0 when they \
        agree, with 1 when they do not, and with 2 when that cannot be told: a recording is cut off or was made under \
        other conditions, something was not captured, or legacy differs from itself. Evidence needs --aa; without it \
        an unsteady scenario goes unnoticed. The service judges evidence with the same comparison.
        """
    static let examples = [
        "signalbox parity compare legacy-1.jsonl migrated.jsonl --aa legacy-2.jsonl",
        "signalbox parity compare legacy-1.jsonl migrated.jsonl --rules parity-rules.json --json",
    ]

    @Argument("The recording of the legacy entry.") var old: FilePath
    @Argument("The recording of the migrated entry.") var new: FilePath
    @Option("A second recording of the legacy entry, from another run.") var aa: FilePath?
    @Option("What may differ, as JSON: volatile members, allowed differences, the tolerance of performance.")
    var rules: FilePath?
    @Option("What must have been recorded in both; accessibility unless it is given.") var require: [ParityDimension] =
        [.accessibility]
    @Option("The day by which allowances expire; today unless it is given.") var today: CalendarDate?
    @Option("Prints the comparison as JSON.") var json: Bool

    func run(_ terminal: Terminal) throws -> ExitCode {
        let day = today ?? CalendarDate(daysSince1970: Int(Timestamp.now.milliseconds / 86_400_000))
        let comparison = ParityComparison(
            old: try old.bytes(), new: try new.bytes(), secondOld: try aa?.bytes(),
            rules: try rules.map { try Self.rules($0) } ?? ParityRules(), requiring: Set(require), today: day.text)
        if json {
            terminal.emit(Array(JSONValue.object(comparison.json).jsonText.utf8))
        } else {
            terminal.say(ParityReport(of: comparison).text(coloured: terminal.isColoured))
        }
        switch comparison.verdict {
        case .pass: return .done
        case .fail: return .refused
        case .inconclusive: return .inconclusive
        }
    }

    private static func rules(_ file: FilePath) throws -> ParityRules {
        let value = try file.json()
        do {
            return try ParityRules(value)
        } catch {
            throw CommandError.usage("\(file.path): \(error.message)")
        }
    }
}

extension ParityDimension: SingleValue {}
