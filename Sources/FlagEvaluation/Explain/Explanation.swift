/// How a flag's rule came to its answer, operation by operation: for people.
public struct Explanation: Sendable {
    /// One operation that was evaluated.
    public struct Step: Sendable {
        /// JSON Pointer (RFC 6901) to the operation, from the flag's object or from the cohort's rule.
        public let path: String
        /// The operator, as it is written: `if`, `fractional`.
        public let operation: String
        /// What its operands gave; those that were never looked at are left out.
        public var operands: [JSONValue] = []
        /// What the operation gave.
        public var value = JSONValue.null
        /// What else is worth knowing: the cohort that was named, the branch that was taken, where a split puts the unit.
        public var notes = JSONObject()
        /// The operations among its operands, in the order in which they were evaluated.
        public var steps: [Step] = []
    }

    /// The value that the targeting gave; nil without targeting, or when it took too long.
    public let value: JSONValue?
    /// What the flag gives for it.
    public let outcome: EvaluationOutcome
    /// The steps from the outermost operation inwards; empty when nothing had to be evaluated.
    public let steps: [Step]
    /// Whether there were more steps than are shown.
    public let isCut: Bool

    /// As the wire shows it.
    public var json: JSONObject {
        [
            "value": value?.shown ?? .null, "steps": .array(steps.map { .object($0.json) }),
            "isCut": .bool(isCut),
        ]
    }
}

extension Explanation.Step {
    /// As deep as rules nest, which is bounded.
    fileprivate var json: JSONObject {
        var json: JSONObject = [
            "path": .string(path), "operation": .string(operation),
            "operands": .array(operands.map(\.shown)), "value": value.shown,
        ]
        for (name, note) in notes.entries { json[name] = note }
        if !steps.isEmpty { json["steps"] = .array(steps.map { .object($0.json) }) }
        return json
    }
}

extension JSONValue {
    /// The value as an explanation shows it: what has too many parts is only mentioned, or one large attribute that is
    /// read again and again would fill an answer without end.
    var shown: JSONValue {
        var open = [self]
        var room = 500
        while let value = open.popLast() {
            room -= 1
            switch value {
            case .string(let text): room -= text.utf8.count / 16
            case .array(let elements):
                room -= elements.count
                if room > 0 { open += elements }
            case .object(let object):
                room -= object.count
                if room > 0 { open += object.entries.map(\.value) }
            default: break
            }
            if room < 0 { return "… (too long to show)" }
        }
        return self
    }
}

extension FlagSet {
    /// Explains the answer of the flag at that index. `now` is in Unix seconds.
    ///
    /// The rule is walked as it is written, apart from the compiled one: `Tests/FlagEvaluationTests/ExplainTests.swift`
    /// shows that both agree.
    public func explanation(at index: Int, for context: EvaluationContext, at now: Int64) -> Explanation {
        guard index >= 0, index < count else { return Explanation(without: .failed(.flagNotFound)) }
        let flag = self[index]
        guard compiled.faults[index] == nil else { return Explanation(without: .failed(.parseError)) }
        guard flag.isEnabled else { return Explanation(without: EvaluationOutcome(nil, .disabled)) }
        guard let targeting = flag.targeting else {
            return Explanation(without: flag.fallback(.static))
        }
        var walk = RuleWalk(
            context: context.json, flagKey: flag.key, now: now, evaluators: compiled.evaluators,
            bucketing: flag.bucketing)
        let (value, steps) = walk.run(targeting, at: JSONPointer().appending("targeting"))
        return Explanation(
            value: value, outcome: value.map { flag.outcome(ofTargeting: $0) } ?? .failed(.general), steps: steps,
            isCut: walk.isCut)
    }
}

extension Explanation {
    fileprivate init(without outcome: EvaluationOutcome) {
        self.init(value: nil, outcome: outcome, steps: [], isCut: false)
    }
}

extension FlagDefinition {
    fileprivate func fallback(_ reason: Reason) -> EvaluationOutcome {
        defaultVariant.map { EvaluationOutcome($0, reason) } ?? EvaluationOutcome(nil, .default)
    }

    /// What a value that targeting gave means: a variant's name, or a boolean that names one.
    fileprivate func outcome(ofTargeting value: JSONValue) -> EvaluationOutcome {
        let name: String
        switch value {
        case .null: return fallback(.default)
        case .float(let number) where number.isNaN: return fallback(.default)
        case .string(let text): name = text
        case .bool(let truth): name = truth ? "true" : "false"
        default: return .failed(.general)
        }
        guard let index = variants.firstIndex(where: { sameBytes($0.name, name) }) else { return .failed(.general) }
        return EvaluationOutcome(index, .targetingMatch)
    }
}
