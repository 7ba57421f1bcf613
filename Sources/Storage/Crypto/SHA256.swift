import CCrypto

/// The 32 bytes of a SHA-256 or of an HMAC with it.
package struct SHA256Digest: Hashable, Sendable {
    /// The bytes as four little-endian words, so that a digest needs no allocation.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    fileprivate init(filling fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        withUnsafeMutableBytes(of: &words) { bytes in
            if let start = bytes.baseAddress { fill(start.assumingMemoryBound(to: UInt8.self)) }
        }
    }

    /// Reads 64 hexadecimal digits; nil for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        guard text.utf8.count == 64 else { return nil }
        var isValid = true
        withUnsafeMutableBytes(of: &words) { bytes in
            for (index, digit) in text.utf8.enumerated() {
                guard let value = value(ofDigit: digit) else { return isValid = false }
                bytes[index / 2] = bytes[index / 2] << 4 | value
            }
        }
        guard isValid else { return nil }
    }

    /// Lends the 32 bytes.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: words, body)
    }

    /// 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        withBytes { bytes in
            String(unsafeUninitializedCapacity: 64) { text in
                for (index, byte) in bytes.enumerated() {
                    text[2 * index] = digit(of: byte >> 4)
                    text[2 * index + 1] = digit(of: byte & 0xF)
                }
                return 64
            }
        }
    }

    /// Whether both are equal, in a time that does not tell where they differ: for secrets.
    package func isEqualInConstantTime(to other: SHA256Digest) -> Bool {
        let difference =
            (words.0 ^ other.words.0) | (words.1 ^ other.words.1) | (words.2 ^ other.words.2)
            | (words.3 ^ other.words.3)
        return difference == 0
    }

    package static func == (left: SHA256Digest, right: SHA256Digest) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}

/// Makes SHA-256 digests one after the other with one context: keep one a thread, making it costs more than using it.
package struct SHA256: ~Copyable {
    private let context: OpaquePointer?

    package init() { context = EVP_MD_CTX_new() }

    deinit { EVP_MD_CTX_free(context) }

    /// The digest of these bytes.
    package mutating func digest(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        SHA256Digest { digest in
            let isDone =
                EVP_DigestInit_ex2(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1
                && EVP_DigestFinal_ex(context, digest, nil) == 1
            precondition(isDone, "libcrypto has no SHA-256")
        }
    }

    /// The digest of the text's UTF-8.
    package mutating func digest(of text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { digest(of: UnsafeRawBufferPointer($0)) }
    }
}

/// Makes HMAC-SHA256 codes with one key.
package struct HMACSHA256: ~Copyable {
    private let context: OpaquePointer?

    /// An empty key is a key too.
    package init(key: [UInt8]) {
        let mac = EVP_MAC_fetch(nil, "HMAC", nil)
        context = EVP_MAC_CTX_new(mac)
        EVP_MAC_free(mac)
        // The parameters point to their name and their value.
        let isReady = "digest".withCString { name in
            var value = Array("SHA256".utf8CString)
            return value.withUnsafeMutableBufferPointer { value in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(name, value.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                // One byte more, because a null pointer would mean that there is no key.
                return EVP_MAC_init(context, key + [0], key.count, parameters) == 1
            }
        }
        precondition(isReady, "libcrypto has no HMAC with SHA-256")
    }

    deinit { EVP_MAC_CTX_free(context) }

    /// The code of these bytes.
    package mutating func code(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        SHA256Digest { digest in
            var count = 0
            let isDone =
                EVP_MAC_init(context, nil, 0, nil) == 1
                && EVP_MAC_update(context, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count) == 1
                && EVP_MAC_final(context, digest, &count, 32) == 1
            precondition(isDone, "libcrypto has no HMAC with SHA-256")
        }
    }
}

/// Looked up once: a look-up costs as much as ten short digests.
private nonisolated(unsafe) let algorithm: OpaquePointer? = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

private func digit(of value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

private func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
}
