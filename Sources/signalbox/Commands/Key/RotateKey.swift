import FlagEvaluation

/// Replaces a key without a gap.
struct RotateKey: ServiceCommand {
    static let name = "rotate"
    static let abstract = "Makes a key's successor, and lets the old one live for a while."
    static let discussion = """
        The successor has the same kind, role and holder. The old key ends after the overlap, or earlier if it would \
        have ended anyway; 'key revoke' ends it at once.
        """
    static let examples = [
        "signalbox key rotate 4fGh2kLmN0pQ --overlap 24h --out app.key --reason 'Yearly rotation'"
    ]

    @Argument("The key's id, as 'signalbox key list' shows it.") var id: String
    @Option("How long the old key still works, from 0 to 30d; 24h unless it is given.") var overlap: Overlap?
    @Option("When the successor stops working.") var expiresAt: Timestamp?
    @Option("A new file for the secret, which only you may read; otherwise it is printed.") var out: FilePath?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("overlapSeconds", overlap?.seconds)
        body.set("expiresAt", expiresAt)
        return try NewSecret(out: out).fetch(.post("keys", id, "rotate", body: body), from: service) { key in
            "Key \(key.shown("id")) for \(key.shown("holder")) takes the place of \(id.printable)."
        }
    }
}

/// How long two keys work side by side: a length of time, or `0`.
struct Overlap: SingleValue, Equatable {
    static let placeholder = Lifetime.placeholder
    let seconds: Int

    init(argument text: String) throws(ValueError) {
        seconds = text == "0" ? 0 : try Lifetime(argument: text).seconds
    }
}
