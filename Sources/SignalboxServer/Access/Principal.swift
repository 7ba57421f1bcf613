import Rollouts

/// What an endpoint asks of whoever calls it.
package enum Permission: String, CaseIterable, Sendable {
    /// Evaluate flags, read a journey.
    case evaluate
    /// Read the figures of the process: any key may.
    case observe
    /// Start and end journeys.
    case startJourneys
    /// Read the configuration.
    case read
    /// Read the audit, and who holds keys.
    case readAudit
    /// Change flags, cohorts, flows, routes and builds.
    case change
    /// Make and revoke keys, confirm a sweep.
    case administer

    /// Whether only people and their programs ask, of whom nobody is an app that cannot be changed any more.
    var isAdministrative: Bool {
        switch self {
        case .evaluate, .observe, .startJourneys: false
        case .read, .readAudit, .change, .administer: true
        }
    }
}

/// Who calls: the key that was shown, as it is stored.
package struct Principal: Hashable, Sendable {
    let key: AccessKey

    /// The id of the key.
    var id: String { key.id }

    /// Whether this key may do that.
    package func may(_ permission: Permission) -> Bool {
        switch (key.kind, permission) {
        case (.app, .evaluate), (.app, .startJourneys), (.app, .observe), (.server, .observe), (.server, .evaluate),
            (.server, .startJourneys):
            true
        case (.app, _), (.server, _): false
        case (.admin, _): key.role.map { Self.may($0, permission) } ?? false
        }
    }

    private static func may(_ role: AccessKey.Role, _ permission: Permission) -> Bool {
        switch permission {
        case .evaluate, .observe, .read: true
        case .readAudit: role == .auditor || role == .admin
        case .startJourneys, .change: role == .editor || role == .approver || role == .admin
        case .administer: role == .admin
        }
    }

    /// The caller as the audit names it. Keys without a role change nothing, so the weakest stands in.
    var actor: Actor { Actor(name: key.holder, role: key.role ?? .viewer, keyID: key.id) }
}
