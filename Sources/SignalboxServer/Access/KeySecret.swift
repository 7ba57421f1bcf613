import Rollouts

/// The text of an access key: `sb_<kind>_<id>_<43 base62>_<checksum>`.
///
/// The 43 characters carry 256 bits. The checksum lets a scanner of leaked secrets tell a key from look-alikes; it
/// proves nothing to the service, which stores and compares the SHA-256 of the whole text.
package enum KeySecret {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let idLength = 12
    private static let secretLength = 43

    /// Makes the id and the text of a new key.
    package static func mint(
        kind: AccessKey.Kind, using randomness: inout some RandomNumberGenerator
    ) -> (id: String, text: String) {
        let id = randomText(idLength, &randomness)
        let body = "sb_\(kind.rawValue)_\(id)_\(randomText(secretLength, &randomness))"
        return (id, "\(body)_\(checksum(of: body))")
    }

    /// The id inside a key's text, without any check of the rest; nil when the text is not of that form.
    ///
    /// Allocates nothing: twelve bytes fit into a String's own storage.
    package static func id(in text: UnsafeRawBufferPointer) -> String? {
        guard text.count > 16, text.count < 128, text.starts(with: "sb_".utf8) else { return nil }
        guard let kindEnd = text[3...].firstIndex(of: underscore) else { return nil }
        let idStart = kindEnd + 1
        guard let idEnd = text[idStart...].firstIndex(of: underscore), idEnd - idStart == idLength else { return nil }
        return String(decoding: text[idStart..<idEnd], as: UTF8.self)
    }

    /// Whether the checksum at the end fits the rest.
    package static func isWellFormed(_ text: String) -> Bool {
        guard let end = text.lastIndex(of: "_"), text.split(separator: "_").count == 5 else { return false }
        return checksum(of: String(text[..<end])) == text[text.index(after: end)...]
    }

    private static let underscore = UInt8(ascii: "_")

    private static func randomText(_ count: Int, _ randomness: inout some RandomNumberGenerator) -> String {
        let bytes = (0..<count).map { _ in digits[Int.random(in: 0..<digits.count, using: &randomness)] }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// CRC-32 (ISO-HDLC, as in zlib) in six base62 digits.
    private static func checksum(of text: String) -> String {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in text.utf8 {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        var rest = Int(~crc)
        var characters: [UInt8] = []
        for _ in 0..<6 {
            characters.append(digits[rest % 62])
            rest /= 62
        }
        return String(decoding: characters.reversed(), as: UTF8.self)
    }
}
