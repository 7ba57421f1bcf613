/// Walks a rule before it is stored: refuses what has no meaning, warns of what will only ever give null.
///
/// A rule's depth is checked before, so the walk's own depth is bounded.
struct RuleCheck {
    let cohorts: Set<String>
    private(set) var warnings: [FlagWarning] = []
    /// Warnings that are listed: they are stored with the flag, and a rule may have one in each of its parts.
    static let mostWarnings = 100

    init(cohorts: Set<String>) { self.cohorts = cohorts }

    mutating func check(_ rule: JSONValue, at path: JSONPointer) throws(FlagError) {
        switch RuleShape(rule) {
        case .data: break
        case .array(let elements):
            for (index, element) in elements.enumerated() { try check(element, at: path.appending(index)) }
        case .unknownOperation(let name):
            throw FlagError(.unknownOperator, at: path.appending(name).text, "There is no operator \"\(name)\".")
        case .operation(let known, let arguments, let isArray):
            let path = path.appending(known.rawValue)
            switch known {
            case .reference: try checkReference(arguments, at: path)
            case .fractional: try checkFractional(arguments, isArray, at: path)
            default:
                for (index, argument) in arguments.enumerated() {
                    try check(argument, at: isArray ? path.appending(index) : path)
                }
                if isMisused(known, arguments) { warn(.operatorMisuse, at: path) }
            }
        }
    }

    /// The cohorts that a rule names, in any place where a rule is evaluated.
    static func references(in rule: JSONValue) -> [String] {
        var names: [String] = []
        var open = [rule]
        while let rule = open.popLast() {
            switch RuleShape(rule) {
            case .data, .unknownOperation: break
            case .array(let elements): open += elements
            case .operation(.reference, let arguments, _): names += arguments.compactMap(\.string)
            case .operation(_, let arguments, _): open += arguments
            }
        }
        return names
    }

    mutating func warn(_ code: FlagWarning.Code, at path: JSONPointer) {
        switch warnings.count {
        case ..<Self.mostWarnings: warnings.append(FlagWarning(path: path.text, code: code))
        case Self.mostWarnings: warnings.append(FlagWarning(path: "", code: .more))
        default: break
        }
    }

    private mutating func checkReference(_ arguments: [JSONValue], at path: JSONPointer) throws(FlagError) {
        guard let name = arguments.first?.string else {
            throw FlagError(.invalidType, at: path.text, "$ref takes a cohort's key.")
        }
        if !cohorts.contains(name) { warn(.unresolvedReference, at: path) }
    }

    private mutating func checkFractional(
        _ arguments: [JSONValue], _ isArray: Bool, at path: JSONPointer
    ) throws(FlagError) {
        var sum: Int64 = 0
        var entries = 0
        for (index, argument) in arguments.enumerated() {
            let path = isArray ? path.appending(index) : path
            guard isArray, case .array(let entry) = argument else {
                try check(argument, at: path)
                // Only the first may be something else: what is bucketed by.
                if index > 0 || RuleShape(argument).isScalar { warn(.operatorMisuse, at: path) }
                continue
            }
            entries += 1
            guard (1...2).contains(entry.count) else {
                warn(.operatorMisuse, at: path)
                continue
            }
            try check(entry[0], at: path.appending(0))
            let weight = entry.count == 2 ? try checkWeight(entry[1], at: path.appending(1)) : 1
            sum += weight
            guard sum <= Int64(Int32.max) else {
                throw FlagError(.weightSumTooLarge, at: path.text, "The weights add up to more than 2147483647.")
            }
        }
        if entries == 0 { warn(.operatorMisuse, at: path) }
    }

    /// The weight as far as it is known now.
    private mutating func checkWeight(_ weight: JSONValue, at path: JSONPointer) throws(FlagError) -> Int64 {
        switch weight {
        case .integer(let value):
            if value < 0 { warn(.operatorMisuse, at: path) }
            // One that is too large alone is too large in the sum.
            return min(max(value, 0), Int64(Int32.max) + 1)
        case .float(let value):
            guard let whole = Int64(exactly: value) else {
                throw FlagError(.decimalWeight, at: path.text, "A weight is a whole number.")
            }
            return try checkWeight(.integer(whole), at: path)
        case .object:
            try check(weight, at: path)
            return 0
        default:
            warn(.operatorMisuse, at: path)
            return 0
        }
    }

    /// Whether an operation can only give null, or ignores an argument.
    private func isMisused(_ known: Operator, _ arguments: [JSONValue]) -> Bool {
        guard known.arity.contains(arguments.count) else { return true }
        switch known {
        case .variable:
            guard let path = arguments.first?.string, path.hasPrefix("$flagd.") else { return false }
            return path != "$flagd.flagKey" && path != "$flagd.timestamp"
        case .startsWith, .endsWith:
            return arguments.contains { $0.string == nil && RuleShape($0).isScalar }
        case .semanticVersion:
            if RuleShape(arguments[1]).isScalar {
                guard let sign = arguments[1].string, Test(sign: sign) != nil else { return true }
            }
            return [arguments[0], arguments[2]].contains { RuleShape($0).isScalar && !SemanticVersion.isValid($0) }
        default: return false
        }
    }
}

extension RuleShape {
    /// Whether this is a literal null, boolean, number or string.
    var isScalar: Bool {
        guard case .data(let value) = self else { return false }
        return value.object == nil
    }
}
