/// Evaluates a rule by walking its JSON, and notes every step.
///
/// Slow and plain on purpose: it is the second opinion on the compiled rule. Its recursion is bounded by the depth that
/// the compiler allows, its work and the size of what rules make by `budget`.
struct RuleWalk {
    let context: JSONValue
    let flagKey: String?
    let now: Int64
    let evaluators: JSONObject
    let bucketing: Bucketing
    /// What loops around the current operation work on, the innermost last.
    var elements: [JSONValue] = []
    /// Operations, and parts of what they make, that may still come.
    private var budget = 400_000
    private var shown = 0
    private(set) var isCut = false
    private var isExhausted = false

    private static let mostShown = 2_000
    /// How deeply what rules make may nest.
    private static let deepest = 128

    init(context: JSONValue, flagKey: String?, now: Int64, evaluators: JSONObject, bucketing: Bucketing = .v2) {
        self.context = context
        self.flagKey = flagKey
        self.now = now
        self.evaluators = evaluators
        self.bucketing = bucketing
    }

    /// The value of a rule; nil when it takes too long.
    mutating func run(_ rule: JSONValue, at path: JSONPointer) -> (value: JSONValue?, steps: [Explanation.Step]) {
        var steps: [Explanation.Step] = []
        let value = value(of: rule, at: path, into: &steps)
        // A plain nil would be the value null.
        return (isExhausted ? JSONValue?.none : value, steps)
    }

    /// Evaluates a part of the rule; its steps are added to those of what it is a part of.
    mutating func value(
        of rule: JSONValue, at path: JSONPointer, into steps: inout [Explanation.Step]
    ) -> JSONValue {
        budget -= 1
        guard budget > 0, !isExhausted else {
            isExhausted = true
            return .null
        }
        switch RuleShape(rule) {
        case .data(let value): return value
        case .unknownOperation: return .null
        case .array(let parts):
            var values: [JSONValue] = []
            for (index, part) in parts.enumerated() {
                values.append(value(of: part, at: path.appending(index), into: &steps))
            }
            return made(.array(values))
        case .operation(let known, let arguments, let isArray):
            let path = path.appending(known.rawValue)
            let operands = Operands(arguments, at: path, isArray: isArray)
            var step = Explanation.Step(path: path.text, operation: known.rawValue)
            step.value = value(of: known, operands, &step)
            if shown < Self.mostShown {
                shown += 1
                steps.append(step)
            } else {
                isCut = true
            }
            return step.value
        }
    }

    /// Evaluates one operand and notes what it gave; null when there is none.
    mutating func operand(_ index: Int, of operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        guard index < operands.count else { return .null }
        let value = value(of: operands[index], at: operands.path(index), into: &step.steps)
        step.operands.append(value)
        return value
    }

    /// Evaluates the first so many operands, null for those that are missing.
    mutating func all(_ count: Int, of operands: Operands, _ step: inout Explanation.Step) -> [JSONValue] {
        var values: [JSONValue] = []
        for index in 0..<count { values.append(operand(index, of: operands, &step)) }
        return values
    }

    /// Pays for work; false when there is nothing left to pay with.
    @discardableResult
    mutating func pay(_ cost: Int) -> Bool {
        budget -= max(0, min(cost, budget))
        if budget <= 0 { isExhausted = true }
        return !isExhausted
    }

    /// What a rule made, paid for by its size: texts and lists can be doubled again and again.
    mutating func made(_ value: JSONValue) -> JSONValue {
        var level = [value]
        var depth = 0
        while !level.isEmpty {
            var next: [JSONValue] = []
            for value in level {
                budget -= 1
                switch value {
                case .string(let text): budget -= text.utf8.count / 8
                case .array(let parts): next += parts
                case .object(let object): next += object.entries.map(\.value)
                default: break
                }
                if budget <= next.count { break }
            }
            depth += 1
            guard budget > next.count, depth <= Self.deepest else {
                isExhausted = true
                return .null
            }
            level = next
        }
        return value
    }
}

/// The operands of an operation as they are written.
struct Operands {
    let rules: [JSONValue]
    let isArray: Bool
    private let pointer: JSONPointer

    init(_ rules: [JSONValue], at pointer: JSONPointer, isArray: Bool) {
        self.rules = rules
        self.pointer = pointer
        self.isArray = isArray
    }

    var count: Int { rules.count }
    subscript(index: Int) -> JSONValue { rules[index] }
    func path(_ index: Int) -> JSONPointer { isArray ? pointer.appending(index) : pointer }
}
