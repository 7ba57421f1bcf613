/// Where a unit falls among the weights of a split, in 0 ..< 2³².
///
/// What is hashed depends on the flag's `Bucketing`; the hash and the arithmetic behind it do not. Changing any of them
/// moves everybody: `Tests/FlagEvaluationTests/Vectors` pins all three.
public struct Bucket: Hashable, Comparable, Sendable {
    /// The hash, unsigned.
    public let value: UInt32

    /// Places the UTF-8 of a text. Source: MurmurHash3 x86 32, seed 0.
    public init(hashing text: String) {
        var text = text
        value = text.withUTF8 { Bucket(hashing: UnsafeRawBufferPointer($0)).value }
    }

    /// Places bytes.
    public init(hashing bytes: UnsafeRawBufferPointer) {
        value = murmurHash3(bytes.baseAddress ?? emptyText, count: bytes.count)
    }

    /// Places a targeting key for one flag, as a split without `bucketBy` does.
    ///
    /// The salt keeps the same people from being first in line for every flag.
    public init(for targetingKey: String, salt: String, by bucketing: Bucketing = .v2) {
        switch bucketing {
        case .v2: self.init(hashing: salt + targetingKey)
        // Two texts are never null, too deep or, within the limits of keys, too long.
        case .v3: self = Bucket(encoding: [.string(salt), .string(targetingKey)]) ?? Bucket(hashing: "")
        }
    }

    /// Places a value as bucketing v3 does: what is hashed is its deterministic CBOR.
    ///
    /// Nil for null, which is no unit, and for a value of more than 64 levels or about a megabyte.
    public init?(encoding value: JSONValue) {
        guard !value.isNull, let document = JSONDocument(holding: value) else { return nil }
        var arena = Arena()
        arena.reset()
        defer { arena.deallocate() }
        let bytes = withExtendedLifetime(document) {
            DeterministicCBOR.encoding(of: Value(document.record(document.root)), in: &arena)
        }
        guard let bytes else { return nil }
        self.init(hashing: bytes)
    }

    /// Where the bucket lies among weights of that sum, in 0 ..< total.
    @inline(__always)
    public func position(among total: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(value) * UInt64(total)) >> 32)
    }

    /// Buckets are in the order of their hashes.
    public static func < (left: Bucket, right: Bucket) -> Bool { left.value < right.value }
}
