let keyCommands = CommandGroup(
    "key", "Makes, lists, rotates and revokes access keys.",
    [ListKeys.self, CreateKey.self, RotateKey.self, RevokeKey.self])

/// All keys in a table.
struct ListKeys: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists all keys with when they were last used, to five minutes; secrets are not stored."
    static let examples = ["signalbox key list"]

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("keys")) { answer in
            var table = Table("ID", "KIND", "ROLE", "HOLDER", "CREATED", "LAST USED", "EXPIRES", "REVOKED")
            for key in answer.list("keys") {
                table.add(
                    key.shown("id"), key.shown("kind"), key.shown("role"), key.shown("holder"), key.time("createdAt"),
                    key.time("lastUsedAt"), key.time("expiresAt"), key.time("revokedAt"))
            }
            return service.tell(table, ifEmpty: "There are no keys.")
        }
    }
}

/// Takes a key away.
struct RevokeKey: ServiceCommand {
    static let name = "revoke"
    static let abstract = "Revokes a key: it is refused from now on."
    static let examples = ["signalbox key revoke 4fXk2Qw9ZbTa --reason 'Left the team'"]

    @Argument("The key's id, as 'signalbox key list' shows it.") var id: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.change(.post("keys", id, "revoke", body: change.body), said: "\(id.printable) is revoked.")
    }
}
