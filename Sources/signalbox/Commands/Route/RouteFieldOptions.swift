import FlagEvaluation
import Rollouts

/// The fields of a route that people set.
struct RouteFieldOptions: ParameterGroup {
    @Option("Who answers for the route.") var owner: String?
    @Option("Why the route is being moved.") var purpose: String?
    @Option(
        """
        A JSON file: {"schemaVersion": 1, "payload": {"id": "string"}, "outcomes": ["saved", "cancelled"]}; payload names \
        the fields and their types.
        """)
    var contract: FilePath?
    @Option("A way into the route; KIND is deepLink, notification, restoration or inApp.") var entryPoint:
        [EntryPointText] = []
    @Option("A route that must have come as far before this one may go on.") var requires: [String] = []
    @Option("A route that must not be in rollout together with this one.") var excludes: [String] = []
    @Option("A name in source code that goes away with the legacy entry. Give all of them.") var legacySymbol:
        [String] = []
    @Option("A step of the ladder, such as internal=50% or 5%; it adds to those before. Give all of them in order.")
    var step: [StepText] = []
    @Option("The share of units that is kept on legacy up to defaultNew, such as 2%.") var holdout: Share?
    @Option("The day on which the legacy entry is to be deleted, such as 2027-03-01; goes with --deletion-owner.")
    var deletionDate: CalendarDate?
    @Option("The share of an app's journeys that may depend on legacy when it is deleted; 1% unless it is given.")
    var legacyShareAtDeletion: Share?
    @Option("What a resumed journey does: keepPin, or redecide where both renderers are shown to take what was saved.")
    var restore: RestorePolicy?
    @Option("Who deletes it; goes with --deletion-date.") var deletionOwner: String?

    /// Puts what was given into a request's body.
    func write(to body: inout JSONObject) throws {
        body.set("owner", owner)
        body.set("purpose", purpose)
        if let contract { body["contract"] = try contract.json() }
        if !entryPoint.isEmpty { body["entryPoints"] = .array(entryPoint.map(\.json)) }
        if !requires.isEmpty { body["requires"] = .array(requires.map { .string($0) }) }
        if !excludes.isEmpty { body["excludes"] = .array(excludes.map { .string($0) }) }
        if !legacySymbol.isEmpty { body["legacySymbols"] = .array(legacySymbol.map { .string($0) }) }
        if !step.isEmpty {
            body["plan"] = .object(StepText.plan(step, holdout: holdout, legacyShare: legacyShareAtDeletion))
        }
        if let restore { body["restore"] = .string(restore.rawValue) }
        if step.isEmpty, holdout != nil || legacyShareAtDeletion != nil {
            throw CommandError.usage("--holdout and --legacy-share-at-deletion go with the steps of a plan")
        }
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

/// `internal=50%`, or `5%` of everybody, with what must hold: `5%,hold=24h,units=500,monitored,approval`.
struct StepText: SingleValue {
    static let placeholder = "[COHORT=]SHARE[,…]"
    let cohort: String?
    let share: Share
    private var conditions = JSONObject()

    init(argument text: String) throws(ValueError) {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let parts = (words.first ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, parts.count == 1 || Key.isValid(parts[0]) else {
            throw ValueError("is '\(text)'; write a share such as 5%, or a cohort and a share such as internal=50%")
        }
        cohort = parts.count == 2 ? String(parts[0]) : nil
        share = try Share(argument: String(last))
        for word in words.dropFirst() { try add(word) }
    }

    private mutating func add(_ word: Substring) throws(ValueError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch (parts[0], parts.count) {
        case ("hold", 2): conditions["holdSeconds"] = .integer(Int64(try Lifetime(argument: parts[1]).seconds))
        case ("units", 2): conditions["minimumUnits"] = .integer(Int64(try Int(argument: parts[1])))
        case ("approval", 1): conditions["needsApproval"] = true
        case ("monitored", 1): conditions["isMonitored"] = true
        default:
            throw ValueError("has '\(word)'; a step may have hold=24h, units=500, approval and monitored")
        }
    }

    static func plan(
        _ steps: [StepText], holdout: Share? = nil, legacyShare: Share? = nil, releases: Int? = nil,
        advance: RolloutPlan.Advance? = nil
    ) -> JSONObject {
        let list = steps.map { step -> JSONValue in
            var json = step.conditions
            json["cohort"] = step.cohort.map { .string($0) } ?? .null
            json["share"] = .integer(Int64(step.share.units))
            return .object(json)
        }
        var plan: JSONObject = ["steps": .array(list)]
        plan["holdout"] = holdout.map { .integer(Int64($0.units)) }
        plan["legacyShareAtDeletion"] = legacyShare.map { .integer(Int64($0.units)) }
        plan["releasesBeforeDisabling"] = releases.map { .integer(Int64($0)) }
        plan.set("advance", advance?.rawValue)
        return plan
    }
}

extension Service {
    /// The plan of a route with what was told in the place of what it had. The service takes a plan as a whole, and a new
    /// ladder must not silently take the rest away.
    func plan(of route: String, with told: JSONObject) throws -> JSONValue {
        var plan = try fetch(.get("routes", route)).value["plan"]?.object ?? [:]
        for (name, value) in told.entries { plan[name] = value }
        return .object(plan)
    }
}

extension RestorePolicy: SingleValue {}
extension RolloutPlan.Advance: SingleValue {}
