/// Where a unit falls among the weights of a split, in 0 ..< 2³².
///
/// This is bucketing v2, what flagd does today. Changing the hash or its input moves everybody:
/// `Tests/FlagEvaluationTests/Vectors/buckets.json` pins both. Another generation has another input to the hash and
/// the same arithmetic behind it.
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

    /// Places a targeting key for one flag, as a split without `bucketBy` does: salt and key without a separator.
    ///
    /// The salt keeps the same people from being first in line for every flag.
    public init(for targetingKey: String, salt: String) { self.init(hashing: salt + targetingKey) }

    /// Where the bucket lies among weights of that sum, in 0 ..< total.
    @inline(__always)
    public func position(among total: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: (UInt64(value) * UInt64(total)) >> 32)
    }

    public static func < (left: Bucket, right: Bucket) -> Bool { left.value < right.value }
}
