/// Reads a journey.
struct ShowJourney: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows a journey: its choices, and its outcome when it has ended."
    static let examples = ["signalbox journey show 019b76da-a800-7000-8000-000000000001"]

    @Argument("The journey's id.") var id: UUIDv7

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("journeys", id.text)) { service.text(ofJourney: $0) }
    }
}
