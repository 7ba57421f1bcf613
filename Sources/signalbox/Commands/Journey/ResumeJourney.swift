import FlagEvaluation
import Rollouts

/// Goes on with a journey as an app does after a restart.
struct ResumeJourney: ServiceCommand {
    static let name = "resume"
    static let abstract = "Goes on with a journey in another process: keeps its choices, or opens its next segment."
    static let discussion =
        "A segment opens only when something has to change: the last process died in migrated, the build lacks what was "
        + "pinned, the route was rolled back at repin-on-resume, or it chooses anew. The same attempt opens one at the "
        + "most. The exit status is 2 when the service could not store the choice."
    static let examples = [
        "signalbox journey resume 019b76da-a800-7000-8000-000000000001 --flow trips --unit u-1 --build app:740",
        """
        signalbox journey resume 019b76da-a800-7000-8000-000000000001 --flow trips --unit u-1 --build app:730 \
        --last-process-died
        """,
    ]

    @Argument("The journey's id.") var id: UUIDv7
    @Option("The flow of the journey.") var flow: String
    @Option("The unit of the journey.") var unit: String
    @Option("The build that asks, of the same app.") var build: BuildID
    @Option("The id of this resume; a new one unless it is given.") var attempt: UUIDv7?
    let asking = AskingApp()
    @Option("Says that the last process died in this journey, without a clean way to the background.")
    var lastProcessDied: Bool

    func run(_ service: Service) throws -> ExitCode {
        let attempt = attempt ?? .minted()
        var body: JSONObject = [
            "attempt": .string(attempt.text), "flow": .string(flow), "unit": .string(unit),
            "build": .string(build.text),
        ]
        try asking.write(to: &body)
        if lastProcessDied { body["lastProcessDied"] = true }
        let request = Request.post("journeys", id.text, "resume", body: body)
        // The segment may have opened: only the same attempt opens no other.
        return try service.tellJourney(request, askAgain: "--attempt \(attempt.text)")
    }
}
