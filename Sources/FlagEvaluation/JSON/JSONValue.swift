/// A JSON value in which booleans, integers and floating-point numbers stay apart from parsing to printing.
///
/// A flag variant `1.0` is written `1.0` again and `1` is never mistaken for `true`: OpenFeature clients report
/// TYPE_MISMATCH otherwise.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number. Always finite: the parser refuses what is not.
    case float(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number with a fraction, even if it is 0.
    public init(floatLiteral value: Double) { self = .float(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of two members with one key the later wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self = .object(JSONObject(elements)) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
    /// The members, when this is an object.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The elements, when this is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The text, when this is a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number, when this is an integer.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    /// The truth value, when this is a boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// Whether this is null.
    public var isNull: Bool { self == .null }
    /// The member of that name, when this is an object that has it.
    public subscript(key: String) -> JSONValue? { object?[key] }
}
