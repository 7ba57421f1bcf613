import FlagEvaluation

extension JSONValue {
    /// The text, or null.
    package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
    /// The number, or null.
    package static func number(_ number: Int64?) -> JSONValue { number.map { .integer($0) } ?? .null }
    /// The object, or null.
    package static func members(_ object: JSONObject?) -> JSONValue { object.map { .object($0) } ?? .null }
    /// The texts, in their order.
    package static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
    /// The objects, in their order.
    package static func objects(_ objects: some Sequence<JSONObject>) -> JSONValue {
        .array(objects.map { .object($0) })
    }
}
