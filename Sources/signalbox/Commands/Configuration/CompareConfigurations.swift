import FlagEvaluation
import Rollouts

/// Says in what two documents differ.
struct CompareConfigurations: LocalCommand {
    static let name = "diff"
    static let abstract = "Says in what two documents differ, or a document and the environment."
    static let discussion = """
        It tells what would change for the first to become the second; without a second, the environment as it is now is \
        the first. What others changed since the document was exported differs too, though 'config apply' keeps it: \
        'config apply --dry-run' tells what applying would change. It ends with 0 when they are equal and with 1 when they are not. What follows from moves, such as the time since \
        when a stage holds, is not compared.
        """
    static let examples = [
        "signalbox config diff staging.json production.json", "signalbox config diff production.json",
    ]

    @Argument("A document.") var first: FilePath
    @Argument("Another one; the environment of the key, which is then the first, unless it is given.") var second:
        FilePath?
    let connection = ConnectionOptions()

    func run(_ terminal: Terminal) throws -> ExitCode {
        let given = try Self.document(try first.document(), named: first.path)
        let (old, new): (ConfigurationDocument, ConfigurationDocument)
        if let second {
            (old, new) = (given, try Self.document(try second.document(), named: second.path))
        } else {
            let answer = try Service(connection, on: terminal).fetch(.get("config", "export")).value
            (old, new) = (try Self.document(answer, named: "the environment"), given)
        }
        let differences = old.differences(to: new).map { JSONValue.object($0.json(from: old, to: new)) }
        if connection.json {
            terminal.emit(Array(JSONValue.object(["differences": .array(differences)]).jsonText.utf8))
        } else {
            terminal.say(DifferenceReport.text(differences, ifEmpty: "They are equal."))
        }
        return differences.isEmpty ? .done : .refused
    }

    private static func document(_ value: JSONValue, named name: String) throws -> ConfigurationDocument {
        do {
            return try ConfigurationDocument(value)
        } catch {
            throw CommandError.usage("\(name): \(error.message)")
        }
    }
}
