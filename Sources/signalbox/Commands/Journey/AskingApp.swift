import FlagEvaluation

/// What an app says when it asks for the renderers of a journey.
struct AskingApp: ParameterGroup {
    @Option("Attributes for targeting, an object.") var context: JSONObjectText?
    @Option(
        """
        What the app itself says it has for a route; less than what its build was registered with is believed, more is \
        not. Once given, a route that is left out counts as having none.
        """)
    var has: [RouteRenderers] = []

    func write(to body: inout JSONObject) throws {
        if let context { body["context"] = .object(context.object) }
        if !has.isEmpty { body["has"] = try RouteRenderers.json(has) }
    }
}

extension Service {
    /// Asks for the renderers of a journey, and tells them. Inconclusive when the service could not store them.
    ///
    /// - Parameter askAgain: The option that makes a repeat the same request, told when no answer came.
    func tellJourney(_ request: Request, askAgain: String) throws -> ExitCode {
        do {
            let (answer, journey) = try fetch(request)
            if isJSON { terminal.emit(answer.body) } else { terminal.say(text(ofJourney: journey)) }
            return journey["pinned"] == .bool(true) ? .done : .inconclusive
        } catch var error as CommandError where error.status == .unavailable {
            error.details.append("To ask again: \(askAgain)")
            throw error
        }
    }
}
