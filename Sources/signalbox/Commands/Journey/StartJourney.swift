import FlagEvaluation
import Rollouts

/// Asks for the renderers of a journey.
struct StartJourney: ServiceCommand {
    static let name = "start"
    static let abstract = "Starts a journey, or asks again for one: which renderer each route gets."
    static let discussion =
        "The same id always gets the same answer. The exit status is 2 when the service could not store the choice."
    static let examples = [
        "signalbox journey start trips --unit u-1 --build app:730",
        """
        signalbox journey start trips --unit u-2 --build app:730 --context '{"email":"ann@example.com"}'
        """,
    ]

    @Argument("The flow.") var flow: String
    @Option("The build that asks. One that is not registered is treated as legacy only.") var build: BuildID
    @Option("The unit, as it is bucketed. Needed, unless --raw-unit is given.") var unit: String?
    @Option("The app's id of the device or user, to be hashed with the salt; goes with --unit-salt-file.") var rawUnit:
        String?
    @Option("A file with the environment's unit salt, for --raw-unit; a newline at its end does not count.")
    var unitSaltFile: FilePath?
    @Option("The journey's id; a new one unless it is given.") var id: UUIDv7?
    @Option("The journey that this one is started from: routes that both have keep its renderers.") var parent: UUIDv7?
    let asking = AskingApp()

    func run(_ service: Service) throws -> ExitCode {
        let id = id ?? .minted()
        var body: JSONObject = [
            "id": .string(id.text), "flow": .string(flow), "unit": .string(try givenUnit()),
            "build": .string(build.text),
        ]
        body.set("parent", parent?.text)
        try asking.write(to: &body)
        // The journey may have been stored: only the same id gets the same answer.
        return try service.tellJourney(.post("journeys", body: body), askAgain: "--id \(id.text)")
    }

    private func givenUnit() throws(CommandError) -> String {
        switch (unit, rawUnit, unitSaltFile) {
        case (let unit?, nil, nil): return unit
        case (nil, let rawUnit?, let file?):
            var salt = try file.bytes()
            if salt.last == 10 { salt.removeLast() }
            guard !salt.isEmpty else { throw .usage("\(file.path) is empty") }
            return UnitHash.unit(forRawUnit: rawUnit, salt: salt)
        default: throw .usage("give --unit, or --raw-unit together with --unit-salt-file")
        }
    }
}
