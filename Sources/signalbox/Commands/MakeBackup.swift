import FlagEvaluation

/// Copies the database while it is served.
struct MakeBackup: ServiceCommand {
    static let name = "backup"
    static let abstract = "Copies the database while it is served, into backups/ of the data directory."
    static let discussion = """
        Beside the copy lies NAME.anchor.json, which shows a restore that the copy is whole. Keep both together, on \
        another machine. Pins and changes go on meanwhile.
        """
    static let examples = ["signalbox backup", "signalbox backup before-release.db --timeout 600"]

    @Argument("The name of the copy; otherwise one with the time.") var name: String?

    func run(_ service: Service) throws -> ExitCode {
        let body = JSONObject(name.map { [("name", JSONValue.string($0))] } ?? [])
        return try service.show(.post("backup", body: body)) { backup in
            let anchor = backup["anchor"] ?? .null
            return """
                \(backup.shown("path")): \(backup.shown("bytes")) bytes, epoch \(anchor.shown("epoch")), revision \
                \(backup.shown("revision")), \(anchor.shown("sequence")) audit entries, \(anchor.shown("pins")) pins ever stored
                """
        }
    }
}
