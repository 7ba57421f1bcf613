import FlagEvaluation
import Rollouts

/// Makes a key.
struct CreateKey: ServiceCommand {
    static let name = "create"
    static let abstract = "Makes a key; its secret is shown this once."
    static let discussion = """
        The kinds app and server evaluate flags, and start, read and end journeys. A key of kind admin has a role. viewer \
        reads all but the audit, and auditor reads the audit too. editor and approver also change flags, cohorts, flows, \
        routes and builds. admin may do everything, keys and --force included.
        """
    static let examples = [
        "signalbox key create --kind app --holder 'App, iOS' --out app.key --reason 'Release 7.30'",
        "signalbox key create --kind admin --role editor --holder 'Ann' --out ann.key --reason 'Joined the team'",
    ]

    @Option("What the key is for; admin needs --role.") var kind: AccessKey.Kind
    @Option("What the holder of an admin key may do. Needed with --kind admin.") var role: AccessKey.Role?
    @Option("The person or program that uses it.") var holder: String
    @Option("When it stops working: a day, or a time such as 2027-03-01T09:30:00Z.") var expiresAt: Deadline?
    @Option("A new file for the secret, which only you may read; otherwise it is printed.") var out: FilePath?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("kind", kind.rawValue)
        body.set("role", role?.rawValue)
        body.set("holder", holder)
        body.set("expiresAt", expiresAt?.moment)
        guard (kind == .admin) == (role != nil) else {
            throw CommandError.usage(
                kind == .admin
                    ? "--kind admin needs --role, one of \(AccessKey.Role.placeholder)"
                    : "--role goes with --kind admin, not with --kind \(kind.rawValue)")
        }
        return try NewSecret(out: out).fetch(.post("keys", body: body), from: service) { key in
            "Key \(key.shown("id")) for \(key.shown("holder")) is made."
        }
    }
}

extension AccessKey.Kind: SingleValue {}
extension AccessKey.Role: SingleValue {}
