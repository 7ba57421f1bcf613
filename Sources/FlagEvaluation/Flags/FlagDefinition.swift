/// One flag in flagd's format.
public struct FlagDefinition: Hashable, Sendable {
    /// One of the values that a flag can have.
    public struct Variant: Hashable, Sendable {
        public let name: String
        public let value: JSONValue
    }

    public let key: String
    /// The flag's object as it came in, member for member.
    public let json: JSONObject
    /// Whether `state` is ENABLED.
    public let isEnabled: Bool
    /// In the order of the definition.
    public let variants: [Variant]
    /// Where the default stands in `variants`; nil when the application's own default applies.
    public let defaultVariant: Int?
    /// Nil when there is no rule; `{}` counts as none.
    public let targeting: JSONValue?
    /// Strings, numbers and booleans about the flag.
    public let metadata: JSONObject
    /// What will not do what it looks like.
    public let warnings: [FlagWarning]
    /// Why a stored flag cannot be evaluated: it answers PARSE_ERROR.
    let fault: FlagError?

    /// Checks a definition that somebody wants to store.
    ///
    /// `cohorts` are the keys that `$ref` may name; another name is a warning.
    public init(key: String, json: JSONValue, cohorts: Set<String> = []) throws(FlagError) {
        guard Key.isValid(key) else {
            throw FlagError(.invalidKey, at: "", "The key \"\(key)\" is not of the form [A-Za-z0-9][A-Za-z0-9._-]{0,127}.")
        }
        var check = DefinitionCheck(cohorts: cohorts)
        try check.check(json)
        self.init(key: key, check: check, fault: nil)
    }

    /// Takes a definition that was stored: one that can no longer be understood answers PARSE_ERROR.
    public init(key: String, stored json: JSONObject, cohorts: Set<String> = []) {
        var check = DefinitionCheck(cohorts: cohorts)
        do throws(FlagError) {
            try check.check(.object(json))
            self.init(key: key, check: check, fault: nil)
        } catch {
            self.init(key: key, check: check, fault: error)
        }
    }

    private init(key: String, check: DefinitionCheck, fault: FlagError?) {
        self.key = key
        json = check.json
        isEnabled = check.isEnabled
        variants = check.variants
        defaultVariant = check.defaultVariant
        targeting = check.targeting
        metadata = check.metadata
        warnings = check.warnings
        self.fault = fault
    }
}
