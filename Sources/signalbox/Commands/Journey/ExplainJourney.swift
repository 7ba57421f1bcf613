import FlagEvaluation

/// Says why a journey got what it got.
struct ExplainJourney: ServiceCommand {
    static let name = "explain"
    static let abstract = "Says why a stored journey got its renderers, as far as that can be told."
    static let discussion =
        "Attributes are not stored with a journey; give those that the app sent as --context. Later changes of the "
        + "configuration are taken back by the audit."
    static let examples = [
        """
        signalbox journey explain 019b76da-a800-7000-8000-000000000001 --context '{"email":"ann@example.com"}'
        """
    ]

    @Argument("The journey's id.") var id: UUIDv7
    @Option("Attributes that the app sent at the start, an object.") var context: JSONObjectText?

    func run(_ service: Service) throws -> ExitCode {
        var body = JSONObject()
        if let context { body["context"] = .object(context.object) }
        return try service.show(.post("journeys", id.text, "explain", body: body)) { answer in
            var table = Table("ROUTE", "STORED", "RECOMPUTED", "AGREES", "THEN")
            for (route, told) in answer["routes"]?.object?.entries ?? [] {
                let step = told["stage"] == "partialRollout" ? ", step \(told.shown("step"))" : ""
                let then = told["stage"].map { "\($0.shown)\(step), \(told.shown("status"))" } ?? ""
                table.add(
                    route.printable, Self.choice(told["stored"]), Self.choice(told["recomputed"]),
                    told.shown("agrees"), then)
            }
            var segments = Table("SEGMENT", "OPENED", "REASON", "BUILD", "REVISION", "CHOICES")
            for segment in answer.list("segments") {
                let choices = segment["choices"]?.object?.entries.map {
                    "\($0.key.printable)=\($0.value.shown("renderer"))"
                }
                segments.add(
                    segment.shown("segment"), segment.time("openedAt"), segment.shown("reason"), segment.shown("build"),
                    segment.shown("revision"), choices?.joined(separator: ", ") ?? "")
            }
            let shown = answer["conflict"]?["choices"]?.object?.entries.map { "\($0.key.printable)=\($0.value.shown)" }
            let of = answer.shown("of")
            return
                ([
                    facts([
                        "journey": answer.shown("id"), "segment": answer.shown("segment"), "flow": answer.shown("flow"),
                        "unit": answer.shown("unit"), "build": answer.shown("build"),
                        "started": answer.time("startedAt"),
                        "revision": "\(answer.shown("revision")) (\(Self.basis(answer.shown("basis"))))",
                        "its device shows": shown?.joined(separator: ", ") ?? "",
                        "bucket": "\(answer.shown("bucket")) of \(of), of the holdout \(answer.shown("holdoutBucket"))",
                    ]), service.tell(table, ifEmpty: "It has no choices."),
                    service.tell(segments, ifEmpty: "It has no segments."),
                ] + answer.list("notes").map { "· \($0.shown)" }).joined(separator: "\n\n")
        }
    }

    private static func choice(_ choice: JSONValue?) -> String {
        guard let choice, !choice.isNull else { return "" }
        return "\(choice.shown("renderer")) (\(choice.shown("reason")))"
    }

    private static func basis(_ basis: String) -> String {
        switch basis {
        case "current": "still the current one"
        case "audit": "later changes taken back"
        default: "only what is stored can be told"
        }
    }
}
