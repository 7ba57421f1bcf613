/// Why an evaluation gave what it gave, in OpenFeature's words.
public enum Reason: String, Sendable, CaseIterable {
    /// The flag has no targeting.
    case `static` = "STATIC"
    /// Targeting gave null.
    case `default` = "DEFAULT"
    /// Targeting named the variant, by a split too.
    case targetingMatch = "TARGETING_MATCH"
    case disabled = "DISABLED"
    case error = "ERROR"
}

/// What went wrong, in OpenFeature's words.
public enum EvaluationErrorCode: String, Sendable, CaseIterable {
    case flagNotFound = "FLAG_NOT_FOUND"
    /// The flag's definition cannot be evaluated.
    case parseError = "PARSE_ERROR"
    /// The rule gave something that names no variant, or took too long.
    case general = "GENERAL"
}

/// What an evaluation gave, without its text: for a caller that keeps the answers ready.
public struct EvaluationOutcome: Hashable, Sendable {
    /// Where the variant stands in the flag's variants; nil when the application's own default applies.
    public let variant: Int?
    /// Why that variant, or none.
    public let reason: Reason
    /// Only with `reason == .error`.
    public let errorCode: EvaluationErrorCode?

    @inline(__always)
    init(_ variant: Int?, _ reason: Reason, _ errorCode: EvaluationErrorCode? = nil) {
        self.variant = variant
        self.reason = reason
        self.errorCode = errorCode
    }

    /// The outcome of an evaluation that failed.
    public static func failed(_ code: EvaluationErrorCode) -> EvaluationOutcome { EvaluationOutcome(nil, .error, code) }
}

/// What an evaluation gave.
public struct Evaluation: Hashable, Sendable {
    /// Nil when the application's own default applies.
    public let value: JSONValue?
    /// The variant's name; nil when the application's own default applies.
    public let variant: String?
    /// Why that variant, or none.
    public let reason: Reason
    /// Only with `reason == .error`.
    public let errorCode: EvaluationErrorCode?
    /// For people; only with `reason == .error`.
    public let errorDetails: String?
    /// The set's metadata, and over it the flag's.
    public let metadata: JSONObject
}
