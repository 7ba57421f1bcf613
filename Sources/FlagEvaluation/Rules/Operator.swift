/// The operators of rules: JsonLogic's, and flagd's beside them.
enum Operator: String, CaseIterable {
    case variable = "var"
    case missing, missingSome = "missing_some"
    case condition = "if"
    case ternary = "?:"
    case and, or
    case not = "!"
    case truth = "!!"
    case equal = "=="
    case strictlyEqual = "==="
    case notEqual = "!="
    case strictlyNotEqual = "!=="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case minimum = "min"
    case maximum = "max"
    case concatenate = "cat"
    case substring = "substr"
    case contains = "in"
    case merge, map, filter, reduce, all, none, some
    case startsWith = "starts_with"
    case endsWith = "ends_with"
    case semanticVersion = "sem_ver"
    case fractional
    case reference = "$ref"

    /// How many arguments make sense; other counts give a warning.
    var arity: ClosedRange<Int> {
        switch self {
        case .variable: 0...2
        case .missing, .merge, .minimum, .maximum, .concatenate, .add, .and, .or, .condition: 0...Int.max
        case .multiply, .fractional: 1...Int.max
        case .ternary, .reduce, .semanticVersion: 3...3
        case .not, .truth, .reference: 1...1
        case .less, .lessOrEqual, .substring: 2...3
        case .subtract: 1...2
        case .missingSome, .equal, .strictlyEqual, .notEqual, .strictlyNotEqual, .greater, .greaterOrEqual, .divide,
            .remainder, .contains, .map, .filter, .all, .none, .some, .startsWith, .endsWith:
            2...2
        }
    }
}

extension RuleShape {
    /// Whether the rule can have an array for its value.
    var mayGiveArray: Bool {
        switch self {
        case .array: return true
        case .data, .unknownOperation: return false
        case .operation(let known, _, _):
            switch known {
            case .variable, .condition, .ternary, .and, .or, .missing, .missingSome, .merge, .map, .filter, .reduce,
                .fractional, .reference:
                return true
            default: return false
            }
        }
    }
}

/// A rule taken apart by one level.
enum RuleShape {
    /// An object with one member: an operation. A single argument may stand without an array.
    case operation(Operator, [JSONValue], isArray: Bool)
    case unknownOperation(String)
    case array([JSONValue])
    /// Everything else stands for itself, objects with several members or none included.
    case data(JSONValue)

    init(_ rule: JSONValue) {
        switch rule {
        case .object(let object):
            guard object.count == 1, let (name, value) = object.entries.first else {
                self = .data(rule)
                return
            }
            guard let known = Operator(rawValue: name) else {
                self = .unknownOperation(name)
                return
            }
            if case .array(let arguments) = value, known != .reference {
                self = .operation(known, arguments, isArray: true)
            } else {
                self = .operation(known, [value], isArray: false)
            }
        case .array(let elements): self = .array(elements)
        default: self = .data(rule)
        }
    }
}
