import FlagEvaluation

extension StopCondition {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        let own: Set<String> = ["route", "key", "version", "hash", "frozenAt", "judgement"]
        guard let version = Int(exactly: try json.requiredInteger("version")), version >= 1 else {
            throw .invalidField("/version", "an integer from 1")
        }
        self.init(
            id: ID(
                route: try json.requiredString("route"), key: try json.requiredString("key"), version: version),
            definition: try Definition(json: json, besides: own), frozenAt: try json.optionalInteger("frozenAt"),
            judgement: try json.optionalPart("judgement") { part, path throws(RolloutError) in
                try Judgement(json: part, at: path)
            })
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        var json = frozenJSON
        json["hash"] = .string(hash)
        json["frozenAt"] = .number(frozenAt)
        json["judgement"] = .members(judgement?.json)
        return json
    }

    /// SHA-256 of the canonical JSON of what is frozen: route, key, version and definition.
    package var hash: String { ContentHash.of(JSONValue.object(frozenJSON).canonicalJSON) }

    private var frozenJSON: JSONObject {
        var json: JSONObject = [
            "route": .string(id.route), "key": .string(id.key), "version": .integer(Int64(id.version)),
        ]
        for (name, value) in definition.json.entries { json[name] = value }
        return json
    }
}

extension StopCondition.Judgement {
    /// Reads what `json` writes, strictly.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["verdict", "at", "numbers"], at: path)
        self.init(
            verdict: try json.requiredWord("verdict", at: path), at: try json.requiredInteger("at", at: path),
            numbers: try json.requiredObject("numbers", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        ["verdict": .string(verdict.rawValue), "at": .integer(at), "numbers": .object(numbers)]
    }
}

extension StopCondition.Definition {
    /// The members that a definition has on the wire.
    package static let members: Set<String> = [
        "metric", "unit", "direction", "margin", "alphaShare", "method", "cap", "minimumUnits", "maturitySeconds",
        "maximumDurationSeconds", "graceSeconds", "action",
    ]

    /// Reads a definition. Metric, alpha share, margin and action must be said; for the rest there is a usual value, which
    /// then is written down and frozen as if it had been said.
    package init(json: JSONObject, besides others: Set<String> = []) throws(RolloutError) {
        try json.refuseMembers(besides: others.union(Self.members))
        let metric: StopCondition.Metric = try json.requiredWord("metric")
        let margin = try metric == .sampleRatio ? json.optionalNumber("margin") ?? 0 : json.requiredNumber("margin")
        let named = try json.optionalPart("method") { part, path throws(RolloutError) in
            try StopCondition.Method(json: part, at: path)
        }
        guard let method = named ?? metric.usualMethod else {
            throw .invalidField("/method", "the test confidenceSequence with its plannedUnits")
        }
        self.init(
            metric: metric, unit: try json.optionalWord("unit") ?? metric.unit,
            direction: try json.optionalWord("direction") ?? metric.direction, margin: margin,
            alphaShare: try json.requiredNumber("alphaShare"),
            method: method,
            cap: try json.optionalNumber("cap"), minimumUnits: try json.optionalInteger("minimumUnits") ?? 150,
            maturitySeconds: try json.optionalInteger("maturitySeconds") ?? 36 * 3_600,
            maximumDurationSeconds: try json.optionalInteger("maximumDurationSeconds") ?? 28 * 86_400,
            graceSeconds: try json.optionalInteger("graceSeconds") ?? 86_400, action: try json.requiredWord("action"))
    }

    package var json: JSONObject {
        var json: JSONObject = [
            "metric": .string(metric.rawValue), "unit": .string(unit.rawValue),
            "direction": .string(direction.rawValue), "margin": .decimal(margin), "alphaShare": .decimal(alphaShare),
            "method": .object(method.json), "minimumUnits": .integer(minimumUnits),
            "maturitySeconds": .integer(maturitySeconds), "maximumDurationSeconds": .integer(maximumDurationSeconds),
            "graceSeconds": .integer(graceSeconds), "action": .string(action.rawValue),
        ]
        json["cap"] = cap.map { .decimal($0) }
        return json
    }
}

extension StopCondition.Method {
    fileprivate init(json: JSONObject, at path: String) throws(RolloutError) {
        let test: Test = try json.requiredWord("test", at: path)
        switch test {
        case .conditionalBinomial:
            try json.refuseMembers(besides: ["test", "grid"], at: path)
            self = .conditionalBinomial(grid: try json.optionalNumbers("grid", at: path) ?? Self.usualGrid)
        case .confidenceSequence:
            try json.refuseMembers(besides: ["test", "plannedUnits"], at: path)
            self = .confidenceSequence(plannedUnits: try json.requiredInteger("plannedUnits", at: path))
        case .dirichletMultinomial:
            try json.refuseMembers(besides: ["test", "concentration"], at: path)
            self = .dirichletMultinomial(concentration: try json.optionalNumber("concentration", at: path) ?? 100)
        }
    }

    fileprivate var json: JSONObject {
        var json: JSONObject = ["test": .string(test.rawValue)]
        switch self {
        case .conditionalBinomial(let grid): json["grid"] = .array(grid.map { .decimal($0) })
        case .confidenceSequence(let units): json["plannedUnits"] = .integer(units)
        case .dirichletMultinomial(let concentration): json["concentration"] = .decimal(concentration)
        }
        return json
    }

    fileprivate static let usualGrid = [1.25, 1.5, 2, 3, 4]
}

extension StopCondition.Metric {
    package var unit: StopCondition.Unit { self == .crash || self == .hang ? .device : .firstJourney }

    package var direction: StopCondition.Direction {
        switch self {
        case .completion: .down
        case .sampleRatio: .both
        default: .up
        }
    }

    /// The test that goes with the metric.
    package var test: StopCondition.Method.Test {
        switch self {
        case .crash, .hang: .conditionalBinomial
        case .completion, .loadTime, .hitchRatio: .confidenceSequence
        case .sampleRatio: .dirichletMultinomial
        }
    }

    /// Nil where something has to be planned.
    fileprivate var usualMethod: StopCondition.Method? {
        switch test {
        case .conditionalBinomial: .conditionalBinomial(grid: StopCondition.Method.usualGrid)
        case .confidenceSequence: nil
        case .dirichletMultinomial: .dirichletMultinomial(concentration: 100)
        }
    }
}

extension JSONValue {
    /// A number, written without a fraction when it has none: equal numbers give equal bytes.
    static func decimal(_ number: Double) -> JSONValue {
        Int64(exactly: number).map { .integer($0) } ?? .float(number)
    }

    /// The number, when this is one.
    fileprivate var decimal: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .float(let number): number
        default: nil
        }
    }
}

extension JSONObject {
    fileprivate func optionalNumber(_ name: String, at path: String = "") throws(RolloutError) -> Double? {
        guard let value = optional(name) else { return nil }
        guard let number = value.decimal else { throw .invalidField(pointer(to: name, in: path), "a number") }
        return number
    }

    fileprivate func requiredNumber(_ name: String, at path: String = "") throws(RolloutError) -> Double {
        try optionalNumber(name, at: path).orThrow(.invalidField(pointer(to: name, in: path), "a number"))
    }

    fileprivate func optionalNumbers(_ name: String, at path: String) throws(RolloutError) -> [Double]? {
        guard let list = try optionalArray(name, at: path) else { return nil }
        let numbers = list.compactMap(\.decimal)
        guard numbers.count == list.count else { throw .invalidField(pointer(to: name, in: path), "numbers") }
        return numbers
    }
}
