/// Something in a stored flag that will not do what it looks like; `--strict` refuses it.
public struct FlagWarning: Hashable, Sendable {
    public enum Code: String, Sendable {
        case operatorMisuse = "operator_misuse"
        case unresolvedReference = "unresolved_reference"
    }
    /// JSON Pointer (RFC 6901) from the flag's object to the fault.
    public let path: String
    public let code: Code

    public init(path: String, code: Code) {
        self.path = path
        self.code = code
    }
}
