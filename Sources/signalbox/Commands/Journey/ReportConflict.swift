import FlagEvaluation
import RouteContract

/// Tells what a device showed.
struct ReportConflict: ServiceCommand {
    static let name = "conflict"
    static let abstract = "Reports that a device shows something else than what is pinned; nothing switches."
    static let examples = [
        "signalbox journey conflict 019b76da-a800-7000-8000-000000000001 --shown trips.edit=migrated"
    ]

    @Argument("The journey's id.") var id: UUIDv7
    @Option("The renderer that the device showed for a route.") var shown: [RouteRenderers]

    func run(_ service: Service) throws -> ExitCode {
        var choices = JSONObject()
        for one in shown {
            guard one.renderers.count == 1, choices[one.route] == nil else {
                throw CommandError.usage("--shown takes one renderer a route, such as trips.edit=migrated")
            }
            choices[one.route] = .string(one.renderers[0].rawValue)
        }
        return try service.show(.post("journeys", id.text, "conflict", body: ["choices": .object(choices)])) { answer in
            guard let conflict = answer["conflict"], !conflict.isNull else {
                return "\(id.text) shows what is pinned: nothing to report."
            }
            let shown = conflict["choices"]?.object?.entries.map { "\($0.key.printable)=\($0.value.shown)" } ?? []
            return "\(id.text) shows \(shown.joined(separator: ", ")) beside segment \(conflict.shown("segment"))."
        }
    }
}
