/// The form that the keys of flags, cohorts, flows and routes share: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
public enum Key {
    /// Whether the text has that form.
    public static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, isAlphanumeric(first), bytes.count <= 128 else { return false }
        return bytes.allSatisfy { isAlphanumeric($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
