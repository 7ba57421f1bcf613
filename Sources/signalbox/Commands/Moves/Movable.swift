import FlagEvaluation

/// What a verb can be said of: a route, or a flow with all its routes.
protocol Movable: Sendable {
    /// `route`, as it is typed.
    static var noun: String { get }
    /// The part of the path below `/v1`.
    static var collection: String { get }
    static var exampleKey: String { get }
    /// `the route`, in sentences.
    static var phrase: String { get }
}

/// One route.
enum RouteNoun: Movable {
    static let noun = "route"
    static let collection = "routes"
    static let exampleKey = "trips.edit"
    static let phrase = "the route"
}

/// All routes of a flow, or none.
enum FlowNoun: Movable {
    static let noun = "flow"
    static let collection = "flows"
    static let exampleKey = "trips"
    static let phrase = "all routes of the flow"
}

extension JSONObject {
    /// Whether the body of a verb names a part of what it is said of.
    var isScoped: Bool { ["app", "builds", "os", "scope"].contains { self[$0] != nil } }
}

extension Service {
    /// Says the verb of what is named, and reports.
    func move(
        _ noun: any Movable.Type, _ key: String, _ verb: String, _ body: JSONObject
    ) throws -> ExitCode {
        var report = MoveReport(service: self, verb: verb, isScoped: body.isScoped)
        if !isJSON, noun == RouteNoun.self { report.readBefore(key, isDryRun: body["dryRun"] == .bool(true)) }
        if !isJSON, noun == FlowNoun.self { report.readBefore() }
        return try show(.post(noun.collection, key, verb, body: body)) { answer in
            if let route = answer["route"], !route.isNull { return report.text(route: route, in: answer) }
            return report.text(routes: answer.list("routes"), of: key, in: answer)
        }
    }
}
