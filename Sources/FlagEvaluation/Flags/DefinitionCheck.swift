/// Takes a flag's object apart and refuses what is not structured like one.
struct DefinitionCheck: Sendable {
    let cohorts: Set<String>
    private(set) var json = JSONObject()
    private(set) var isEnabled = false
    private(set) var variants: [FlagDefinition.Variant] = []
    private(set) var defaultVariant: Int?
    private(set) var targeting: JSONValue?
    private(set) var metadata = JSONObject()
    private(set) var warnings: [FlagWarning] = []

    init(cohorts: Set<String>) { self.cohorts = cohorts }

    mutating func check(_ value: JSONValue) throws(FlagError) {
        guard case .object(let object) = value else { throw FlagError(.invalidType, at: "", "A flag is an object.") }
        json = object
        guard !value.isDeeper(than: JSONLimits.flagFile.depth) else {
            throw FlagError(.tooDeep, at: "", "The definition has more than \(JSONLimits.flagFile.depth) levels.")
        }
        try checkState(object["state"])
        try checkVariants(object["variants"])
        try checkDefault(object["defaultVariant"])
        metadata = try Self.metadata(object["metadata"])
        switch object["targeting"] {
        case nil: break
        case .object(let rule):
            guard !rule.isEmpty else { break }
            targeting = .object(rule)
            var check = RuleCheck(cohorts: cohorts)
            try check.check(.object(rule), at: JSONPointer().appending("targeting"))
            check.checkEndings(
                of: .object(rule), among: Set(variants.map(\.name)), at: JSONPointer().appending("targeting"))
            warnings = check.warnings
        default: throw FlagError(.invalidType, at: "/targeting", "Targeting is a rule, or {} for none.")
        }
    }

    private mutating func checkState(_ state: JSONValue?) throws(FlagError) {
        switch state {
        case nil: throw FlagError(.missingMember, at: "", "A flag has a state, ENABLED or DISABLED.")
        case .string("ENABLED"): isEnabled = true
        case .string("DISABLED"): isEnabled = false
        case .string: throw FlagError(.invalidState, at: "/state", "The state is ENABLED or DISABLED.")
        default: throw FlagError(.invalidType, at: "/state", "The state is ENABLED or DISABLED.")
        }
    }

    private mutating func checkVariants(_ value: JSONValue?) throws(FlagError) {
        guard let value else { throw FlagError(.missingMember, at: "", "A flag has variants.") }
        guard case .object(let object) = value else {
            throw FlagError(.invalidType, at: "/variants", "Variants are an object: a value for each name.")
        }
        guard let first = object.entries.first else {
            throw FlagError(.invalidVariants, at: "/variants", "A flag has at least one variant.")
        }
        for (name, value) in object.entries {
            let path = JSONPointer().appending("variants").appending(name).text
            guard !name.isEmpty else { throw FlagError(.invalidVariants, at: path, "A variant has a name.") }
            guard let type = VariantType(value) else {
                throw FlagError(.invalidType, at: path, "A variant is a boolean, a string, a number or an object.")
            }
            guard type == VariantType(first.value) else {
                throw FlagError(.mixedVariantTypes, at: path, "All variants of a flag are of one type.")
            }
            variants.append(FlagDefinition.Variant(name: name, value: value))
        }
    }

    private mutating func checkDefault(_ value: JSONValue?) throws(FlagError) {
        switch value {
        case nil, .null: break
        case .string(let name):
            guard let index = variants.firstIndex(where: { $0.name == name }) else {
                throw FlagError(.unknownDefaultVariant, at: "/defaultVariant", "There is no variant \"\(name)\".")
            }
            defaultVariant = index
        default: throw FlagError(.invalidType, at: "/defaultVariant", "The default is a variant's name, or null.")
        }
    }

    /// Reads the metadata of a flag or of a whole set.
    static func metadata(_ value: JSONValue?) throws(FlagError) -> JSONObject {
        guard let value else { return JSONObject() }
        guard case .object(let object) = value else {
            throw FlagError(.invalidType, at: "/metadata", "Metadata is an object.")
        }
        for (name, value) in object.entries {
            switch value {
            case .string, .integer, .float, .bool: break
            default:
                let path = JSONPointer().appending("metadata").appending(name).text
                throw FlagError(.invalidType, at: path, "Metadata are strings, numbers and booleans.")
            }
        }
        return object
    }
}

/// The types that variants can have.
private enum VariantType {
    case boolean, string, number, object

    init?(_ value: JSONValue) {
        switch value {
        case .bool: self = .boolean
        case .string: self = .string
        case .integer, .float: self = .number
        case .object: self = .object
        case .null, .array: return nil
        }
    }
}

extension JSONValue {
    /// Whether arrays and objects lie within one another in more levels than that.
    func isDeeper(than limit: Int) -> Bool {
        var level = [self]
        for _ in 0..<limit {
            level = level.flatMap { value -> [JSONValue] in
                switch value {
                case .array(let elements): elements
                case .object(let object): object.entries.map(\.value)
                default: []
                }
            }
            if level.isEmpty { return false }
        }
        return level.contains { $0.array != nil || $0.object != nil }
    }
}
