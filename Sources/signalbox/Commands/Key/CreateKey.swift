import FlagEvaluation
import Rollouts

/// Makes a key.
struct CreateKey: ServiceCommand {
    static let name = "create"
    static let abstract = "Makes a key; its secret is shown this once."
    static let examples = [
        "signalbox key create --kind app --holder 'App, iOS' --out app.key --reason 'Release 7.30'",
        "signalbox key create --kind admin --role editor --holder 'Ann' --out ann.key --reason 'Joined the team'",
    ]

    @Option("What the key is for.") var kind: AccessKey.Kind
    @Option("What the holder of an admin key may do.") var role: AccessKey.Role?
    @Option("The person or program that uses it.") var holder: String
    @Option("When it stops working.") var expiresAt: Timestamp?
    @Option("A new file for the secret, which only you may read; otherwise it is printed.") var out: FilePath?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("kind", kind.rawValue)
        body.set("role", role?.rawValue)
        body.set("holder", holder)
        if let expiresAt { body["expiresAt"] = .integer(expiresAt.milliseconds) }
        guard (kind == .admin) == (role != nil) else {
            throw CommandError.usage("--role goes with --kind admin, and with no other")
        }
        guard out == nil || !service.isJSON else {
            throw CommandError.usage("the JSON holds the secret: give one of --out and --json")
        }
        let file = try out.map { path throws(CommandError) in try SecretFile(creating: path) }
        do {
            let (answer, value) = try service.fetch(.post("keys", body: body))
            return report(answer, value, file, service.terminal, isJSON: service.isJSON)
        } catch {
            file?.discard()
            throw error
        }
    }

    private func report(
        _ answer: Answer, _ value: JSONValue, _ file: SecretFile?, _ terminal: Terminal, isJSON: Bool
    ) -> ExitCode {
        let secret = value.shown("secret")
        let isKept = file?.finish(with: secret) ?? false
        if isJSON {
            terminal.emit(answer.body)
        } else {
            let key = value["key"] ?? .null
            terminal.say("Key \(key.shown("id")) for \(key.shown("holder")) is made.")
            if let out, isKept {
                terminal.say("Its secret is in \(out.path).")
            } else {
                terminal.say("Its secret, shown this once:\n\(secret)")
            }
        }
        guard let out, !isKept else { return .done }
        terminal.complain("signalbox: the secret could not be written to \(out.path); keep what is printed")
        return .inconclusive
    }
}

extension AccessKey.Kind: SingleValue {}
extension AccessKey.Role: SingleValue {}
