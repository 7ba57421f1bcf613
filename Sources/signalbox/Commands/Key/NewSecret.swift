import FlagEvaluation

/// Where the secret of a new key goes, and how that is told.
struct NewSecret {
    let out: FilePath?

    /// Asks for the key once its secret has a place; `told` says what was made.
    func fetch(
        _ request: Request, from service: Service, told: (JSONValue) -> String
    ) throws -> ExitCode {
        guard out == nil || !service.isJSON else {
            throw CommandError.usage("the JSON holds the secret: give one of --out and --json")
        }
        let file = try out.map { path throws(CommandError) in try SecretFile(creating: path) }
        do {
            let (answer, value) = try service.fetch(request)
            return report(answer, value, file, service, told)
        } catch {
            file?.discard()
            throw error
        }
    }

    private func report(
        _ answer: Answer, _ value: JSONValue, _ file: SecretFile?, _ service: Service, _ told: (JSONValue) -> String
    ) -> ExitCode {
        let terminal = service.terminal
        let secret = value.shown("secret")
        let isKept = file?.finish(with: secret) ?? false
        if service.isJSON {
            terminal.emit(answer.body)
        } else {
            terminal.say(told(value["key"] ?? .null))
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
