import FlagEvaluation
import RouteContract

/// Ends a journey.
struct FinishJourney: ServiceCommand {
    static let name = "finish"
    static let abstract = "Reports how a journey ended; it can end only once."
    static let examples = [
        "signalbox journey finish 019b76da-a800-7000-8000-000000000001 --status completed --name saved"
    ]

    @Argument("The journey's id.") var id: UUIDv7
    @Option("How it ended.") var status: OutcomeStatus
    @Option("The outcome's name in the contract.") var name: String?

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.post("journeys", id.text, "outcome", body: body)) { answer in
            let outcome = answer["outcome"] ?? .null
            let name = outcome.shown("name")
            return "\(id.text) has ended: \(outcome.shown("status"))" + (name.isEmpty ? "." : " (\(name)).")
        }
    }

    private var body: JSONObject {
        var body: JSONObject = ["status": .string(status.rawValue)]
        body.set("name", name)
        return body
    }
}

extension OutcomeStatus: SingleValue {}
