import Rollouts

/// What an endpoint asks of whoever calls it.
package enum Permission: CaseIterable, Sendable {
    /// Evaluate flags, read a journey.
    case evaluate
    /// Start and end journeys.
    case startJourneys
    /// Read the configuration.
    case read
    case readAudit
    /// Change flags, cohorts, flows, routes and builds.
    case change
    /// Keys.
    case administer
}

/// Who calls: the key that was shown, as it is stored.
package struct Principal: Hashable, Sendable {
    let key: AccessKey

    /// Whether this key may do that.
    package func may(_ permission: Permission) -> Bool {
        switch (key.kind, permission) {
        case (.app, .evaluate), (.app, .startJourneys), (.server, .evaluate), (.server, .startJourneys): true
        case (.app, _), (.server, _): false
        case (.admin, _): key.role.map { Self.may($0, permission) } ?? false
        }
    }

    private static func may(_ role: AccessKey.Role, _ permission: Permission) -> Bool {
        switch permission {
        case .evaluate, .read: true
        case .readAudit: role == .auditor || role == .admin
        case .startJourneys, .change: role == .editor || role == .approver || role == .admin
        case .administer: role == .admin
        }
    }

    /// The caller as the audit names it. Keys without a role change nothing, so the weakest stands in.
    var actor: Actor { Actor(name: key.holder, role: key.role ?? .viewer, keyID: key.id) }
}
