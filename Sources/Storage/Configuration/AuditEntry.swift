import FlagEvaluation

/// One entry of an environment's audit, as it is stored.
package struct AuditEntry: Hashable, Sendable {
    /// Gap-free, from 1.
    package let sequence: Int64
    package let epoch: Int64
    /// The revision that the change led to.
    package let revision: Int64
    /// Milliseconds since 1970.
    package let time: Int64
    package let actor: String
    package let role: String
    package let keyID: String
    package let action: String
    package let subject: String
    package let reason: String
    /// Canonical JSON, byte for byte what the hash covers.
    package let beforeText: String
    /// Canonical JSON, byte for byte what the hash covers.
    package let afterText: String
    /// The hash of the entry before this one; 64 zeros at the first.
    package let previousHash: String
    /// SHA-256 in lower-case hexadecimal, see `AuditHash`.
    package let hash: String

    /// What stood before the change; null when nothing did.
    package var before: JSONValue { Self.read(beforeText) }
    /// What stands after the change; null when nothing does.
    package var after: JSONValue { Self.read(afterText) }

    /// Read only where somebody looks into it: a page of large definitions takes many times their text as values.
    private static func read(_ text: String) -> JSONValue { (try? JSONValue(parsing: text, limits: .trusted)) ?? .null }
}

/// Which entries of the audit are read.
package enum AuditPage: Hashable, Sendable {
    /// Those with a higher sequence.
    case after(Int64, limit: Int)
    /// Those with a lower sequence, the newest of them.
    case before(Int64, limit: Int)
}

/// What walking the whole audit found.
package struct AuditVerdict: Hashable, Sendable {
    /// Entries that were found in order and unchanged.
    package let entries: Int64
    /// The hash of the last of these; nil without any.
    package let head: String?
    /// The first fault, for people; nil when there is none.
    package let fault: String?
}
