import Rollouts
import Storage

/// The keys of one revision, ready to be compared with what a request shows.
struct KeyRing: Sendable {
    private struct Entry: Sendable {
        let principal: Principal
        let digest: SHA256Digest
        /// Milliseconds since 1970 from which the key opens nothing.
        let end: Int64
        let use: KeyUse
    }
    private let entries: [String: Entry]

    /// Keys that were known before keep the time of their last use.
    init(_ keys: some Sequence<AccessKey>, after previous: KeyRing? = nil) {
        var entries: [String: Entry] = [:]
        for key in keys where key.revokedAt == nil {
            guard let digest = SHA256Digest(hexadecimal: key.hash) else { continue }
            entries[key.id] = Entry(
                principal: Principal(key: key), digest: digest, end: key.expiresAt ?? .max,
                use: previous?.entries[key.id]?.use ?? KeyUse())
        }
        self.entries = entries
    }

    /// Whether the key of that id opens anything at that time.
    func isValid(_ id: String, at now: Int64) -> Bool { entries[id].map { now < $0.end } ?? false }

    /// The stored hash of a key that opens something at that time, and from when on it no longer does.
    func secret(of id: String, at now: Int64) -> (digest: SHA256Digest, end: Int64)? {
        entries[id].flatMap { now < $0.end ? ($0.digest, $0.end) : nil }
    }

    /// Whose key the text is; nil for a key that is unknown, wrong, revoked or expired.
    func principal(showing text: UnsafeRawBufferPointer, at now: Int64, _ sha: inout SHA256) -> Principal? {
        guard let id = KeySecret.id(in: text), let entry = entries[id], now < entry.end else { return nil }
        guard entry.digest.isEqualInConstantTime(to: sha.digest(of: text)) else { return nil }
        entry.use.note(now)
        return entry.principal
    }

    /// When each key was last shown, in milliseconds since 1970 by id; keys that were not have no place in it.
    var uses: [String: Int64] { entries.compactMapValues(\.use.time) }

    /// Takes over what was known before the service started.
    func restore(_ uses: [String: Int64]) {
        for (id, time) in uses { entries[id]?.use.note(time) }
    }
}
