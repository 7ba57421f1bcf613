/// One flag in flagd's format.
public struct FlagDefinition: Hashable, Sendable {
    /// One of the values that a flag can have.
    public struct Variant: Hashable, Sendable {
        /// What targeting and the default call it.
        public let name: String
        /// A boolean, a string, a number or an object.
        public let value: JSONValue
    }

    /// What clients ask for; of the form of `Key`, unless the flag was stored before that was so.
    public var key: String { content.key }
    /// How its splits bucket. Stored beside the definition, and never changed: that would move its units.
    public var bucketing: Bucketing { content.bucketing }
    /// The flag's object as it came in, member for member.
    public var json: JSONObject { content.check.json }
    /// Whether `state` is ENABLED.
    public var isEnabled: Bool { content.check.isEnabled }
    /// In the order of the definition.
    public var variants: [Variant] { content.check.variants }
    /// Where the default stands in `variants`; nil when the application's own default applies.
    public var defaultVariant: Int? { content.check.defaultVariant }
    /// Nil when there is no rule; `{}` counts as none.
    public var targeting: JSONValue? { content.check.targeting }
    /// Strings, numbers and booleans about the flag.
    public var metadata: JSONObject { content.check.metadata }
    /// What will not do what it looks like.
    public var warnings: [FlagWarning] { content.check.warnings }
    /// Why a stored flag cannot be evaluated: it answers PARSE_ERROR.
    var fault: FlagError? { content.fault }

    /// Shared, because every revision takes over the flags of the one before: a copy counts one reference, not eight.
    private let content: Content

    private final class Content: Sendable {
        let key: String
        let check: DefinitionCheck
        let bucketing: Bucketing
        let fault: FlagError?

        init(key: String, check: DefinitionCheck, bucketing: Bucketing, fault: FlagError?) {
            self.key = key
            self.check = check
            self.bucketing = bucketing
            self.fault = fault
        }
    }

    /// Checks a definition that somebody wants to store.
    ///
    /// `cohorts` are the keys that `$ref` may name; another name is a warning.
    public init(
        key: String, json: JSONValue, cohorts: Set<String> = [], bucketing: Bucketing = .v2
    ) throws(FlagError) {
        guard Key.isValid(key) else {
            throw FlagError(
                .invalidKey, at: "", "The key \"\(key)\" is not of the form [A-Za-z0-9][A-Za-z0-9._-]{0,127}.")
        }
        var check = DefinitionCheck(cohorts: cohorts)
        try check.check(json)
        self.init(key: key, check: check, bucketing: bucketing, fault: nil)
    }

    /// Takes a definition that was stored: one that can no longer be understood answers PARSE_ERROR.
    public init(key: String, stored json: JSONObject, cohorts: Set<String> = [], bucketing: Bucketing = .v2) {
        var check = DefinitionCheck(cohorts: cohorts)
        do throws(FlagError) {
            try check.check(.object(json))
            self.init(key: key, check: check, bucketing: bucketing, fault: nil)
        } catch {
            self.init(key: key, check: check, bucketing: bucketing, fault: error)
        }
    }

    /// Why the flag could not be evaluated beside these cohorts: it would answer PARSE_ERROR. Nil when it can, or when
    /// only a cohort is missing.
    public func compileFault(beside evaluators: JSONObject) -> FlagError? {
        guard let targeting else { return nil }
        var compiler = RuleCompiler(evaluators: evaluators)
        do throws(FlagError) {
            _ = try compiler.compile(targeting, variants: [:])
            return nil
        } catch {
            return error.code == .unresolvedReference ? nil : error
        }
    }

    private init(key: String, check: DefinitionCheck, bucketing: Bucketing, fault: FlagError?) {
        content = Content(key: key, check: check, bucketing: bucketing, fault: fault)
    }

    /// The same key, definition and bucketing: everything else follows from them, but for the cohorts that there were.
    public static func == (left: FlagDefinition, right: FlagDefinition) -> Bool {
        left.content === right.content
            || (left.key == right.key && left.bucketing == right.bucketing && left.json == right.json
                && left.warnings == right.warnings && left.fault == right.fault)
    }

    /// By key and definition.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(json)
    }

    /// Whether this is another copy of one definition, which tells nothing when it is not.
    func isCopy(of other: FlagDefinition) -> Bool { content === other.content }
}
