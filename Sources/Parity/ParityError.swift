/// Why rules are not acceptable.
public struct ParityError: Error, Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    public enum Code: String, Sendable {
        case invalidRules = "invalid_parity_rules"
    }
    /// For programs.
    public let code: Code
    /// For people; never parsed.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
