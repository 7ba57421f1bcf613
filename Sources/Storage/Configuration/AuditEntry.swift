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
    package let before: JSONValue
    package let after: JSONValue
    /// The hash of the entry before this one; 64 zeros at the first.
    package let previousHash: String
    /// SHA-256 in lower-case hexadecimal, see `AuditHash`.
    package let hash: String
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
