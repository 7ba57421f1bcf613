import FlagEvaluation
import Rollouts

/// The fields of a route that people set.
struct RouteFieldOptions: ParameterGroup {
    @Option("Who answers for the route.") var owner: String?
    @Option("Why the route is being moved.") var purpose: String?
    @Option("A file with schemaVersion, payload and outcomes.") var contract: FilePath?
    @Option("A way into the route.") var entryPoint: [EntryPointText] = []
    @Option("A route that must be compatible before this one.") var requires: [String] = []
    @Option("A step of the ladder, such as internal=50% or 5%. Give all of them in order.") var step: [StepText] = []
    @Option("When the legacy entry is to be deleted.") var deletionDate: CalendarDate?
    @Option("Who deletes it.") var deletionOwner: String?

    /// Puts what was given into a request's body.
    func write(to body: inout JSONObject) throws {
        body.set("owner", owner)
        body.set("purpose", purpose)
        if let contract { body["contract"] = try contract.json() }
        if !entryPoint.isEmpty { body["entryPoints"] = .array(entryPoint.map(\.json)) }
        if !requires.isEmpty { body["requires"] = .array(requires.map { .string($0) }) }
        if !step.isEmpty { body["plan"] = StepText.plan(step) }
        switch (deletionDate, deletionOwner) {
        case (let date?, let owner?): body["deletion"] = ["date": .string(date.text), "owner": .string(owner)]
        case (nil, nil): break
        default: throw CommandError.usage("--deletion-date and --deletion-owner belong together")
        }
    }
}

/// `deepLink=trips/:id/edit`
struct EntryPointText: SingleValue {
    static let placeholder = "KIND=SOURCE"
    let kind: EntryPoint.Kind
    let source: String

    init(argument text: String) throws(ValueError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let kinds = EntryPoint.Kind.allCases.map(\.rawValue)
        guard parts.count == 2, let kind = EntryPoint.Kind(rawValue: String(parts[0])), !parts[1].isEmpty else {
            let hint = Suggestion.phrase(for: String(parts[0]), among: kinds) ?? ""
            throw ValueError("is '\(text)'; write kind=source, kind one of \(kinds.joined(separator: "|"))\(hint)")
        }
        self.kind = kind
        source = String(parts[1])
    }

    var json: JSONValue { ["kind": .string(kind.rawValue), "source": .string(source)] }
}

/// `internal=50%`, or `5%` of everybody.
struct StepText: SingleValue {
    static let placeholder = "[COHORT=]SHARE"
    let cohort: String?
    let share: Share

    init(argument text: String) throws(ValueError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count == 1 || Key.isValid(parts[0]) else {
            throw ValueError("is '\(text)'; write a share such as 5%, or a cohort and a share such as internal=50%")
        }
        cohort = parts.count == 2 ? String(parts[0]) : nil
        share = try Share(argument: String(last))
    }

    static func plan(_ steps: [StepText]) -> JSONValue {
        let list = steps.map { step -> JSONValue in
            ["cohort": step.cohort.map { .string($0) } ?? .null, "share": .integer(Int64(step.share.units))]
        }
        return ["steps": .array(list)]
    }
}
