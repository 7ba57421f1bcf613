import FlagEvaluation

/// What a JSON value on the wire looks like, in as much of JSON Schema as the API needs.
///
/// A dictionary literal is an object with exactly those members; a name that ends with `?` may be left out.
package indirect enum Schema: Sendable, ExpressibleByDictionaryLiteral {
    /// Keywords as they stand in the document.
    case keywords(JSONObject)
    case object([(name: String, schema: Schema)])
    /// Any names, each with such a value.
    case map(Schema)
    case list(Schema, most: Int?)
    case either([Schema])
    /// Written once, under that name, and referred to.
    case named(String, Schema)

    package init(dictionaryLiteral members: (String, Schema)...) {
        self = .object(members.map { (name: $0.0, schema: $0.1) })
    }

    static let any = Schema.keywords([:])
    static let string = Schema.keywords(["type": "string"])
    static let integer = Schema.keywords(["type": "integer"])
    static let number = Schema.keywords(["type": "number"])
    static let boolean = Schema.keywords(["type": "boolean"])
    static let null = Schema.keywords(["type": "null"])
    static let anyObject = Schema.keywords(["type": "object"])
    /// Milliseconds since 1970.
    static let time = Schema.keywords(["type": "integer", "description": "Milliseconds since 1970, UTC."])
    static let key = Schema.keywords(["type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$"])

    static func words(_ words: some Sequence<String>) -> Schema {
        .keywords(["type": "string", "enum": .array(words.map { .string($0) })])
    }

    /// One of the words of an enumeration.
    static func words<Word>(of type: Word.Type) -> Schema where Word: CaseIterable & RawRepresentable<String> {
        words(Word.allCases.map(\.rawValue))
    }

    static func integer(_ range: ClosedRange<Int64>) -> Schema {
        .keywords([
            "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
        ])
    }

    static func list(of element: Schema) -> Schema { .list(element, most: nil) }

    var orNull: Schema { .either([self, .null]) }

    /// The same object with more members.
    func with(_ more: Schema) -> Schema {
        switch (self, more) {
        case (.object(let own), .object(let others)): .object(own + others)
        case (.named(_, let schema), _): schema.with(more)
        default: self
        }
    }

    /// The names of an object's members.
    var memberNames: [String] {
        switch self {
        case .object(let members): members.map { $0.name.hasSuffix("?") ? String($0.name.dropLast()) : $0.name }
        case .named(_, let schema): schema.memberNames
        default: []
        }
    }

    /// As the document has it; what is named goes into `components`.
    func json(naming components: inout JSONObject) -> JSONValue {
        switch self {
        case .keywords(let keywords): return .object(keywords)
        case .map(let value):
            return ["type": "object", "additionalProperties": value.json(naming: &components)]
        case .list(let element, let most):
            var keywords: JSONObject = ["type": "array", "items": element.json(naming: &components)]
            if let most { keywords["maxItems"] = .integer(Int64(most)) }
            return .object(keywords)
        case .either(let schemas): return ["anyOf": .array(schemas.map { $0.json(naming: &components) })]
        case .object(let members): return Self.json(of: members, naming: &components)
        case .named(let name, let schema):
            if components[name] == nil {
                // Before what it consists of, so that a schema may mention itself.
                components[name] = .null
                components[name] = schema.json(naming: &components)
            }
            return ["$ref": .string("#/components/schemas/\(name)")]
        }
    }

    private static func json(
        of members: [(name: String, schema: Schema)], naming components: inout JSONObject
    ) -> JSONValue {
        var properties = JSONObject()
        var required: [JSONValue] = []
        for (name, schema) in members {
            let isOptional = name.hasSuffix("?")
            let name = isOptional ? String(name.dropLast()) : name
            properties[name] = schema.json(naming: &components)
            if !isOptional { required.append(.string(name)) }
        }
        var keywords: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { keywords["required"] = .array(required) }
        keywords["additionalProperties"] = false
        return .object(keywords)
    }
}
