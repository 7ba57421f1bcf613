import Storage

/// The pseudonym of an app's id for a device or user, as every client of the environment makes it.
enum UnitHash {
    /// base64url, without padding, of the first 16 bytes of HMAC-SHA256(salt, UTF-8 of the id).
    static func unit(forRawUnit rawUnit: String, salt: [UInt8]) -> String {
        var hmac = HMACSHA256(key: salt)
        let code = Array(rawUnit.utf8).withUnsafeBytes { hmac.code(of: $0) }
        return code.withBytes { base64URL(Array($0.prefix(16))[...]) }
    }

    private static func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var text = ""
        var (bits, width) = (0, 0)
        for byte in bytes {
            (bits, width) = (bits << 8 | Int(byte), width + 8)
            while width >= 6 {
                width -= 6
                text.append(alphabet[bits >> width & 0x3F])
            }
            bits &= (1 << width) - 1
        }
        if width > 0 { text.append(alphabet[bits << (6 - width) & 0x3F]) }
        return text
    }
}
