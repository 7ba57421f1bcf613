/// The id of a journey: a UUID of version 7, minted by the client. Source: RFC 9562, section 5.7.
///
/// Ids sort by the time they were minted, which keeps the store's inserts at one end of its index.
public struct JourneyID: Hashable, Comparable, Sendable {
    /// The first eight bytes, big-endian: 48 bits of time, the version, 12 random bits.
    public let high: UInt64
    /// The last eight bytes, big-endian: the variant, 62 random bits.
    public let low: UInt64

    /// The sixteen bytes as two big-endian halves; nil when version or variant are not those of a UUIDv7.
    @inlinable public init?(high: UInt64, low: UInt64) {
        guard high >> 12 & 0xF == 7, low >> 62 == 0b10 else { return nil }
        self.high = high
        self.low = low
    }

    /// Mints an id. Randomness comes in, because this module has none.
    ///
    /// - Parameters:
    ///   - milliseconds: since 1970. A time that 48 bits cannot hold is moved to the nearest that they can.
    ///   - randomA: the lowest 12 bits are used.
    ///   - randomB: the lowest 62 bits are used.
    public init(milliseconds: Int64, randomA: UInt16, randomB: UInt64) {
        let time = UInt64(min(max(milliseconds, 0), 0xFFFF_FFFF_FFFF))
        high = time << 16 | 0x7000 | UInt64(randomA & 0x0FFF)
        low = 0b10 << 62 | randomB & (1 << 62 - 1)
    }

    /// The sixteen bytes in order; nil when they are not sixteen, or not a UUIDv7.
    @inlinable public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// Writes the sixteen bytes in order, to the start of the buffer, which must hold them.
    @inlinable public func writeBytes(to buffer: UnsafeMutableRawBufferPointer) {
        precondition(buffer.count >= 16, "a journey id has 16 bytes")
        buffer.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }

    /// When the id was minted, in milliseconds since 1970, by the clock of whoever minted it.
    @inlinable public var milliseconds: Int64 { Int64(high >> 16) }

    /// The order of the bytes, and of the text.
    @inlinable public static func < (left: JourneyID, right: JourneyID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}
