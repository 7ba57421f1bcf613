/// Why a flag, a cohort or a flag file cannot be stored.
public struct FlagError: Error, Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    public enum Code: String, Sendable, CaseIterable {
        /// Something is of another JSON type than it must be.
        case invalidType = "invalid_type"
        /// A member that must be there is not.
        case missingMember = "missing_member"
        /// A key of a flag or a cohort is not of the form of `Key`.
        case invalidKey = "invalid_key"
        /// Two flags of an array have one key.
        case duplicateKey = "duplicate_key"
        /// `state` is neither ENABLED nor DISABLED.
        case invalidState = "invalid_state"
        /// There is no variant, or one without a name.
        case invalidVariants = "invalid_variants"
        /// The variants are not all booleans, all strings, all numbers or all objects.
        case mixedVariantTypes = "mixed_variant_types"
        /// `defaultVariant` names no variant.
        case unknownDefaultVariant = "unknown_default_variant"
        /// A rule uses an operator that does not exist.
        case unknownOperator = "unknown_operator"
        /// A weight of a split is not a whole number.
        case decimalWeight = "decimal_weight"
        /// The weights of a split add up to more than 2 147 483 647.
        case weightSumTooLarge = "weight_sum_too_large"
        /// A definition or a rule with its cohorts is nested too deeply.
        case tooDeep = "too_deep"
        /// A rule with its cohorts is longer than what is evaluated.
        case tooLarge = "too_large"
        /// A cohort names itself, directly or through others.
        case cohortCycle = "cohort_cycle"
        /// A rule names a cohort that does not exist. Only when it is evaluated; when it is written this is a warning.
        case unresolvedReference = "unresolved_reference"
    }
    /// For programs.
    public let code: Code
    /// JSON Pointer (RFC 6901) from the flag's object, the cohort's rule or the file to the fault.
    public let path: String
    /// For people; never parsed.
    public let message: String

    /// A fault at a place.
    public init(_ code: Code, at path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The same fault seen from a place further out.
    func within(_ prefix: String) -> FlagError { FlagError(code, at: prefix + path, message) }
}

/// A path into JSON text as RFC 6901 writes it.
struct JSONPointer {
    private(set) var text = ""

    func appending(_ member: String) -> JSONPointer {
        var escaped = ""
        for character in member.unicodeScalars {
            switch character {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return JSONPointer(text: text + "/" + escaped)
    }

    func appending(_ index: Int) -> JSONPointer { JSONPointer(text: "\(text)/\(index)") }
}
