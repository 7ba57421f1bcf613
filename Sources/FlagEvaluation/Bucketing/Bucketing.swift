/// How a split turns what it buckets by into the input of the hash.
///
/// A flag keeps the generation that it was made with: another one moves almost every unit. It stands beside the
/// definition, never inside it, because flagd's format has no place for it.
public enum Bucketing: String, Sendable, CaseIterable {
    /// The UTF-8 of a text, which flagd hashes today. Without `bucketBy`: the flag's key and the targeting key, joined.
    case v2
    /// Deterministic CBOR (RFC 8949, 4.2.1) of any value but null, as flagd has decided to do. Without `bucketBy`: of
    /// the array of the flag's key and the targeting key.
    case v3
}
