/// Decides whether a path may be looked up at all.
///
/// Nothing is ever normalised: a path that could mean something else after normalising is refused, so that what is
/// authorised and what is served can never be two different paths.
enum PathCheck {
    /// Whether the path, without its query, is plain: absolute, UTF-8 after decoding, no empty or dot segment inside,
    /// no backslash, and no escape of a slash, backslash, dot or control character.
    static func isPlain(_ path: UnsafeRawBufferPointer) -> Bool {
        guard path.first == 0x2F else { return false }
        var needsUnicodeCheck = false
        var index = 1
        var segmentStart = 1
        while index <= path.count {
            let byte = index < path.count ? path[index] : 0x2F
            if isOrdinary(byte) {
                index += 1
                continue
            }
            switch byte {
            case 0x2F:
                let length = index - segmentStart
                // Only the very end may be empty: `/`, and `/a/`, which simply matches no route.
                if length == 0 && index < path.count { return false }
                if length > 0, length <= 2, path[segmentStart] == 0x2E, path[index - 1] == 0x2E { return false }
                segmentStart = index + 1
            case 0x25:
                guard index + 2 < path.count, let high = PercentDecoding.hexValue(path[index + 1]),
                    let low = PercentDecoding.hexValue(path[index + 2])
                else { return false }
                let decoded = high << 4 | low
                if decoded < 0x20 || decoded == 0x7F || decoded == 0x2F || decoded == 0x5C || decoded == 0x2E {
                    return false
                }
                needsUnicodeCheck = needsUnicodeCheck || decoded >= 0x80
                index += 2
            case 0x5C, 0x7F, 0...0x20: return false
            case 0x80...: needsUnicodeCheck = true
            default: break
            }
            index += 1
        }
        guard needsUnicodeCheck else { return true }
        return PercentDecoding.withDecoded(path) { String(validating: $0, as: UTF8.self) != nil }
    }

    /// Whether a byte of a path needs no thought: a letter, a digit, a hyphen or an underscore.
    @inline(__always)
    private static func isOrdinary(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_2000_0000_0000
        let high: UInt64 = 0x07FF_FFFE_87FF_FFFE
        return byte < 0x80 && (byte < 0x40 ? low >> UInt64(byte) : high >> UInt64(byte & 0x3F)) & 1 == 1
    }
}
