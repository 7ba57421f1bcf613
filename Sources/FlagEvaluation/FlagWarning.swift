/// Something in a stored flag that will not do what it looks like; `--strict` refuses it.
public struct FlagWarning: Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    public enum Code: String, Sendable {
        /// An operator can only give null here, or ignores an argument.
        case operatorMisuse = "operator_misuse"
        /// `$ref` names no cohort: the flag will answer PARSE_ERROR.
        case unresolvedReference = "unresolved_reference"
        /// A literal result names no variant: the flag will answer GENERAL there.
        case unknownVariant = "unknown_variant"
        /// There are more warnings than are listed; this is the last of the list.
        case more = "more_warnings"
    }
    /// JSON Pointer (RFC 6901) from the flag's object to the fault.
    public let path: String
    /// For programs.
    public let code: Code

    /// A warning at a place.
    public init(path: String, code: Code) {
        self.path = path
        self.code = code
    }
}
