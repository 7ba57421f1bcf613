import FlagEvaluation
import Rollouts

/// Evaluates a flag or a route for somebody.
struct Evaluate: ServiceCommand {
    static let name = "eval"
    static let abstract = "Evaluates a flag or a route for a unit, and says why it gets what it gets."
    static let examples = [
        "signalbox eval new-search --unit u-1 --explain",
        """
        signalbox eval trips.edit --unit u-1 --build app:730 --context '{"email":"ann@example.com"}' --explain
        """,
    ]

    @Argument("The key of the flag or route.") var key: String
    @Option("The unit, as it is bucketed.") var unit: String?
    @Option("The build that asks.") var build: BuildID?
    @Option("Attributes for targeting, an object.") var context: JSONObjectText?
    @Option("Shows each operation, its operands, and where a split puts the unit.") var explain: Bool

    func run(_ service: Service) throws -> ExitCode {
        var attributes = context?.object ?? JSONObject()
        attributes.set("targetingKey", unit)
        attributes.set("build", build?.text)
        let query = [("explain", explain ? "true" : nil)]
        return try service.show(.post("evaluate", key, query: query, body: ["context": .object(attributes)])) {
            EvaluationView(answer: $0).text
        }
    }
}
