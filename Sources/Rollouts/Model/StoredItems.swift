import FlagEvaluation

/// An ordinary flag, as it came in.
package struct StoredFlag: Hashable, Sendable {
    package let key: String
    /// The flag's object in flagd's format, member for member.
    package var definition: JSONObject
    /// What the compiler warned about when it was written.
    package var warnings: [FlagWarning]
    /// Stands beside the definition, never inside it.
    package let bucketing: Bucketing
    /// Whether it was switched off.
    var isDisabled: Bool { definition["state"] == "DISABLED" }

    package init(
        key: String, definition: JSONObject, warnings: [FlagWarning] = [], bucketing: Bucketing = .v2
    ) {
        self.key = key
        self.definition = definition
        self.warnings = warnings
        self.bucketing = bucketing
    }
}

/// A named, reusable targeting rule: one of the environment's `$evaluators`.
package struct Cohort: Hashable, Sendable {
    package let key: String
    package var rule: JSONValue

    package init(key: String, rule: JSONValue) {
        self.key = key
        self.rule = rule
    }
}

/// An access key. The secret itself is never stored.
package struct AccessKey: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Publishable: OFREP and journeys of an app.
        case app
        /// The same from a server of one's own.
        case server
        case admin
    }
    /// What the holder of an admin key may do.
    package enum Role: String, CaseIterable, Sendable {
        /// Reads everything but the audit.
        case viewer
        /// Reads everything, the audit included.
        case auditor
        /// Changes flags, cohorts, flows, routes and builds.
        case editor
        /// Does what an editor does; will approve what others ask for.
        case approver
        /// Everything, keys and forced moves included.
        case admin
    }
    package let id: String
    package let kind: Kind
    /// Only with `kind == .admin`.
    package let role: Role?
    /// A person or a program.
    package let holder: String
    /// SHA-256 of the key's whole text, lower-case hexadecimal.
    package let hash: String
    /// Milliseconds since 1970, as all times here.
    package let createdAt: Int64
    package var expiresAt: Int64?
    package var revokedAt: Int64?

    package init(
        id: String, kind: Kind, role: Role?, holder: String, hash: String, createdAt: Int64, expiresAt: Int64? = nil,
        revokedAt: Int64? = nil
    ) {
        self.id = id
        self.kind = kind
        self.role = role
        self.holder = holder
        self.hash = hash
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
    }
}
