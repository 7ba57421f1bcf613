// Eight digits are handled as the eight bytes of one word: a request carries an id in its text, and this is on its path.

extension JourneyID: CustomStringConvertible, Codable {
    /// How many bytes the text has.
    @inlinable public static var textCount: Int { 36 }

    /// Reads `xxxxxxxx-xxxx-7xxx-yxxx-xxxxxxxxxxxx`, in lower or upper case; nil for everything else.
    ///
    /// Allocates nothing.
    public init?(text: UnsafeRawBufferPointer) {
        guard text.count == Self.textCount else { return nil }
        guard text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else { return nil }
        guard
            let first = value(ofDigits: text.word(at: 0)),
            let second = value(ofDigits: text.halfWord(at: 9) << 32 | text.halfWord(at: 14)),
            let third = value(ofDigits: text.halfWord(at: 19) << 32 | text.halfWord(at: 24)),
            let fourth = value(ofDigits: text.word(at: 28))
        else { return nil }
        self.init(high: first << 32 | second, low: third << 32 | fourth)
    }

    /// Reads the text form; nil for everything else.
    @inlinable public init?(_ text: some StringProtocol) {
        let bytes = text.utf8
        guard bytes.count == Self.textCount else { return nil }
        let id = bytes.withContiguousStorageIfAvailable { JourneyID(text: UnsafeRawBufferPointer($0)) }
        guard let id = id ?? Array(bytes).withUnsafeBytes({ JourneyID(text: $0) }) else { return nil }
        self = id
    }

    /// Writes the 36 bytes of the text, in lower case, to the start of the buffer, which must hold them.
    public func writeText(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= Self.textCount, "the text of a journey id has 36 bytes")
        let second = digits(of: high & 0xFFFF_FFFF)
        let third = digits(of: low >> 32)
        buffer.store(word: digits(of: high >> 32), at: 0)
        buffer.store(halfWord: second >> 32, at: 9)
        buffer.store(halfWord: second, at: 14)
        buffer.store(halfWord: third >> 32, at: 19)
        buffer.store(halfWord: third, at: 24)
        buffer.store(word: digits(of: low & 0xFFFF_FFFF), at: 28)
        buffer[8] = hyphen
        buffer[13] = hyphen
        buffer[18] = hyphen
        buffer[23] = hyphen
    }

    /// The text, in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.textCount) { buffer in
            writeText(to: UnsafeMutableRawBufferPointer(buffer))
            return Self.textCount
        }
    }

    /// Reads the text form from a single value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = JourneyID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a UUID of version 7")
        }
        self = id
    }

    /// Writes the text form as a single value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

private let hyphen = UInt8(ascii: "-")

/// The same byte in all eight places.
@inline(__always) private func each(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

/// The 32 bits that eight hexadecimal digits spell, the first digit in the highest byte; nil if one is not a digit.
@inline(__always) private func value(ofDigits text: UInt64) -> UInt64? {
    // Adding 0x80 - x to a byte below 0x80 sets its highest bit exactly when the byte is at least x. A byte from 0x80 on
    // passes neither test, whatever is carried into it, and what it carries over no longer matters.
    let lower = text | each(0x20)
    let isDigit = (text &+ each(0x80 - 0x30)) & ~(text &+ each(0x80 - 0x3A)) & each(0x80)
    let isLetter = (lower &+ each(0x80 - 0x61)) & ~(lower &+ each(0x80 - 0x67)) & each(0x80)
    guard isDigit | isLetter == each(0x80) else { return nil }
    var value = (text & each(0x0F)) &+ (isLetter >> 7) &* 9
    value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
    value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
    return (value | value >> 16) & 0xFFFF_FFFF
}

/// The eight lower-case digits that spell 32 bits, the first digit in the highest byte.
@inline(__always) private func digits(of value: UInt64) -> UInt64 {
    var digits = (value | value << 16) & 0x0000_FFFF_0000_FFFF
    digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
    digits = (digits | digits << 4) & each(0x0F)
    let isLetter = ((digits &+ each(6)) >> 4) & each(1)
    return digits &+ each(0x30) &+ isLetter &* 39
}

extension UnsafeRawBufferPointer {
    /// Eight bytes, the first one highest.
    @inline(__always) fileprivate func word(at place: Int) -> UInt64 {
        UInt64(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    /// Four bytes, the first one highest.
    @inline(__always) fileprivate func halfWord(at place: Int) -> UInt64 {
        UInt64(UInt32(bigEndian: loadUnaligned(fromByteOffset: place, as: UInt32.self)))
    }
}

extension UnsafeMutableRawBufferPointer {
    @inline(__always) fileprivate func store(word: UInt64, at place: Int) {
        storeBytes(of: word.bigEndian, toByteOffset: place, as: UInt64.self)
    }

    @inline(__always) fileprivate func store(halfWord: UInt64, at place: Int) {
        storeBytes(of: UInt32(truncatingIfNeeded: halfWord).bigEndian, toByteOffset: place, as: UInt32.self)
    }
}
