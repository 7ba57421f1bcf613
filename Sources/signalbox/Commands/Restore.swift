import FlagEvaluation
import Storage

/// Puts a backup into a data directory.
struct Restore: LocalCommand {
    static let name = "restore"
    static let abstract = "Puts a backup into a data directory that no service uses."
    static let discussion = """
        Every row, the audit and its anchor are checked before anything is replaced. The environment gets a new epoch, \
        so that clients forget what they know from after the backup. The database that was there is kept beside it.
        """
    static let examples = [
        "signalbox restore before-release.db --data /var/lib/signalbox --replace"
    ]

    @Argument("The backup.") var backup: FilePath
    @Option("The data directory; it is made if its parent exists.") var data: FilePath = FilePath("var/signalbox")
    @Option("Moves the database aside that is there.") var replace: Bool
    @Option("Prints what was restored as JSON.") var json: Bool

    func run(_ terminal: Terminal) throws -> ExitCode {
        let directory = try DataDirectory(data)
        let restoration = Restoration(of: backup.path, to: directory.database, isReplacing: replace)
        let report: Restoration.Report
        do {
            report = try restoration.run()
        } catch {
            throw CommandError(
                status: error.code == .locked ? .unavailable : .refused, code: error.code.rawValue,
                message: error.message)
        }
        if json {
            let document: JSONValue = [
                "anchor": .object(report.anchor.json), "revision": .integer(report.revision),
                "pins": .integer(report.segments), "movedTo": report.movedTo.map { .string($0) } ?? .null,
            ]
            terminal.emit(Array(document.jsonText.utf8))
            return .done
        }
        terminal.say(
            "restored \(directory.database): epoch \(report.anchor.epoch), revision \(report.revision), "
                + "\(report.anchor.sequence) audit entries, \(report.segments) pins")
        if let movedTo = report.movedTo { terminal.say("the database that was there is now \(movedTo)") }
        return .done
    }
}
