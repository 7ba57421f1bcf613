import FlagEvaluation
import SignalboxServer
import Storage

/// Looks for what is wrong, and says what to do.
struct Doctor: LocalCommand {
    static let name = "doctor"
    static let abstract = "Looks for what is wrong with a service or a data directory, and says what to do."
    static let discussion = """
        Without --data it asks the service. With --data it reads every row of a database that no service uses. It \
        changes nothing. It ends with 0 when all is well, with 2 when something should be seen to, and with 1 when \
        something is broken.
        """
    static let examples = ["signalbox doctor", "signalbox doctor --data /var/lib/signalbox"]

    let connection = ConnectionOptions()
    @Option("A data directory to look at instead of asking the service.") var data: FilePath?

    func run(_ terminal: Terminal) throws -> ExitCode {
        let answer: JSONValue
        if let data {
            let database = data.path + "/signalbox.db"
            let findings = StoreExamination(of: database).findings() + HostExamination(besides: database).findings()
            answer = (findings + [Finding("version", .ok, version)]).json
        } else {
            answer = try Service(connection, on: terminal).fetch(.get("doctor")).value
        }
        if connection.json {
            terminal.emit(Array(answer.jsonText.utf8))
        } else {
            say(answer, on: terminal)
        }
        switch answer.shown("verdict") {
        case "ok": return .done
        case "advice": return .inconclusive
        default: return .refused
        }
    }

    private func say(_ answer: JSONValue, on terminal: Terminal) {
        var table = Table("CHECK", "VERDICT", "FOUND")
        for check in answer.list("checks") {
            table.add(check.shown("name"), check.shown("verdict"), check.shown("found"))
        }
        terminal.say(table.text(coloured: terminal.isColoured, ifEmpty: "Nothing was looked at."))
        for check in answer.list("checks") where !check.shown("remedy").isEmpty {
            terminal.say("→ \(check.shown("name")): \(check.shown("remedy"))")
        }
    }
}
