import FlagEvaluation
import Rollouts

let conditionCommands = CommandGroup(
    "condition", "Writes down what stops a rollout, and freezes it before anybody is exposed.",
    [
        ListConditions.self, ShowCondition.self, PutCondition.self, CheckCondition.self, FreezeConditions.self,
        RemoveCondition.self,
    ])

/// The conditions of a route in a table.
struct ListConditions: ServiceCommand {
    static let name = "list"
    static let abstract = "Lists the stop conditions of a route, all versions."
    static let examples = ["signalbox condition list trips.edit"]

    @Argument("The key of the route.") var route: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("routes", route, "conditions")) { answer in
            var table = Table("CONDITION", "VERSION", "METRIC", "ALPHA", "ACTION", "STATE", "VERDICT", "HASH")
            for condition in answer.list("conditions") {
                let verdict = condition["judgement"]?.shown("verdict") ?? ""
                table.add(
                    condition.shown("key"), condition.shown("version"), condition.shown("metric"),
                    condition.shown("alphaShare"), condition.shown("action"), state(of: condition),
                    verdict, String(condition.shown("hash").prefix(12)))
            }
            return service.tell(table, ifEmpty: "\(route.printable) has no stop conditions.")
        }
    }

    private func state(of condition: JSONValue) -> String {
        if condition["inForce"] == .bool(true) { return "frozen, watches" }
        return condition.number("frozenAt") == 0 ? "draft" : "replaced"
    }
}

/// One condition as it is frozen.
struct ShowCondition: ServiceCommand {
    static let name = "show"
    static let abstract = "Shows all versions of a stop condition with their hashes."
    static let examples = ["signalbox condition show trips.edit crash"]

    @Argument("The key of the route.") var route: String
    @Argument("The key of the condition.") var condition: String

    func run(_ service: Service) throws -> ExitCode {
        try service.show(.get("routes", route, "conditions", condition)) { $0.prettyJSONText }
    }
}

/// A condition with its definition, as it is sent to the service.
struct ConditionDefinition: ParameterGroup {
    @Argument("The key of the route.") var route: String
    @Argument("The key that the condition has or gets.") var condition: String
    @Option("A JSON file with the definition; options that are given too replace its members.") var file: FilePath?
    @Option("What is measured.") var metric: StopCondition.Metric?
    @Option("The harm that is tolerated: a ratio above 1 for crash and hang, otherwise a difference.") var margin:
        Decimal?
    @Option("Its part of the 0.05 that a route may spend on false stops.") var alphaShare: Decimal?
    @Option("For completion, loadTime and hitchRatio: the units for which the test is planned.") var plannedUnits: Int?
    @Option("For loadTime and hitchRatio: the value at which a unit's mean is cut.") var cap: Decimal?
    @Option("Units in each arm before it may say allowed; 150 unless it is said.") var minimumUnits: Int?
    @Option("What a stop does.") var action: StopCondition.Action?

    /// Sends the definition with the common members of a change, which no file may say otherwise.
    func put(_ common: JSONObject) throws -> Request {
        var body = common
        if let file {
            guard let members = try file.json().object else { throw CommandError.usage("\(file) must hold an object") }
            let strange = members.keys.filter { ["reason", "dryRun", "ifRevision", "ifEpoch"].contains($0) }.sorted()
            guard strange.isEmpty else {
                throw CommandError.usage("\(file) holds \(strange.listed), which belongs to no definition")
            }
            for (name, value) in members.entries { body[name] = value }
        }
        body.set("metric", metric?.rawValue)
        body.set("action", action?.rawValue)
        body.set("minimumUnits", minimumUnits)
        for (name, number) in [("margin", margin), ("alphaShare", alphaShare), ("cap", cap)] {
            if let number { body[name] = number.json }
        }
        if let plannedUnits {
            body["method"] = ["test": "confidenceSequence", "plannedUnits": .integer(Int64(plannedUnits))]
        }
        return .put("routes", route, "conditions", condition, body: body)
    }
}

/// Writes a draft.
struct PutCondition: ServiceCommand {
    static let name = "put"
    static let abstract = "Writes the draft of a stop condition; of a frozen one its next version."
    static let discussion =
        "Before a route may expose anybody, conditions for crash, hang and completion must be frozen. A version that is "
        + "changed after it was frozen starts with no data."
    static let examples = [
        "signalbox condition put trips.edit crash --metric crash --margin 2 --alpha-share 0.02 --action rollback --reason 'Agreed'",
        "signalbox condition put trips.edit done --metric completion --margin 0.01 --alpha-share 0.01 --planned-units 20000 --action hold --reason 'Agreed'",
    ]

    let definition = ConditionDefinition()
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        try service.show(definition.put(change.body)) { answer in
            let shown = answer["condition"] ?? .null
            let state = shown.number("frozenAt") == 0 ? "a draft" : "frozen"
            return "\(definition.condition.printable) of \(definition.route.printable), version "
                + "\(shown.shown("version")), is \(state). \(service.revision(of: answer))"
        }
    }
}

/// Looks at a definition without storing it.
struct CheckCondition: ServiceCommand {
    static let name = "check"
    static let abstract = "Says whether a definition is acceptable, and what would be frozen; stores nothing."
    static let examples = ["signalbox condition check trips.edit crash --file crash.json"]

    let definition = ConditionDefinition()

    func run(_ service: Service) throws -> ExitCode {
        try service.show(definition.put(["reason": "check", "dryRun": true])) {
            ($0["condition"] ?? .null).prettyJSONText + "\nThe form is right. Nothing has changed."
        }
    }
}

/// Freezes what is a draft.
struct FreezeConditions: ServiceCommand {
    static let name = "freeze"
    static let abstract = "Freezes the drafts of a route; the audit holds their hashes."
    static let examples = ["signalbox condition freeze trips.edit --reason 'Agreed with the trips team'"]

    @Argument("The key of the route.") var route: String
    @Option("Only this one.") var condition: String?
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        var body = change.body
        body.set("condition", condition)
        return try service.show(.post("routes", route, "conditions", "freeze", body: body)) { answer in
            let watching = answer.list("conditions").filter { $0["inForce"] == .bool(true) }
            let lines = watching.map { "\($0.shown("key")) version \($0.shown("version")): \($0.shown("hash"))" }
            return (["\(route.printable) is watched by these. \(service.revision(of: answer))"] + lines)
                .joined(separator: "\n")
        }
    }
}

/// Takes a draft away.
struct RemoveCondition: ServiceCommand {
    static let name = "remove"
    static let abstract = "Takes the draft of a stop condition away; a frozen one stays."
    static let examples = ["signalbox condition remove trips.edit crash --reason 'Written twice'"]

    @Argument("The key of the route.") var route: String
    @Argument("The key of the condition.") var condition: String
    let change = ChangeOptions()

    func run(_ service: Service) throws -> ExitCode {
        let request = Request.delete("routes", route, "conditions", condition, query: change.query)
        return try service.change(request, said: "The draft of \(condition.printable) is gone.")
    }
}

extension StopCondition.Metric: SingleValue {}
extension StopCondition.Action: SingleValue {}

/// A number that may have a fraction.
struct Decimal: SingleValue, Equatable {
    static let placeholder = "NUMBER"
    let number: Double

    init(argument text: String) throws(ValueError) {
        guard let number = Double(text), number.isFinite else { throw ValueError("is '\(text)', not a number") }
        self.number = number
    }

    var json: JSONValue { Int64(exactly: number).map { .integer($0) } ?? .float(number) }
}
