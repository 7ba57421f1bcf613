import Rollouts
import Storage

/// The keys of one revision, ready to be compared with what a request shows.
struct KeyRing: Sendable {
    private struct Entry: Sendable {
        let principal: Principal
        let digest: SHA256Digest
        /// Milliseconds since 1970 from which the key opens nothing.
        let end: Int64
    }
    private let entries: [String: Entry]

    init(_ keys: some Sequence<AccessKey>) {
        var entries: [String: Entry] = [:]
        for key in keys where key.revokedAt == nil {
            guard let digest = SHA256Digest(hexadecimal: key.hash) else { continue }
            entries[key.id] = Entry(principal: Principal(key: key), digest: digest, end: key.expiresAt ?? .max)
        }
        self.entries = entries
    }

    /// Whose key the text is; nil for a key that is unknown, wrong, revoked or expired.
    func principal(showing text: UnsafeRawBufferPointer, at now: Int64, _ sha: inout SHA256) -> Principal? {
        guard let id = KeySecret.id(in: text), let entry = entries[id], now < entry.end else { return nil }
        return entry.digest.isEqualInConstantTime(to: sha.digest(of: text)) ? entry.principal : nil
    }
}
