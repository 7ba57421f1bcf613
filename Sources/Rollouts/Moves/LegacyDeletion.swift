import RouteContract

/// Where the legacy entry of a route has been deleted, by app: what the deletion gates count by.
struct LegacyDeletion {
    /// Which builds of an app count as having legacy that somebody may still need.
    enum Counted: Hashable {
        /// Those before the first build without it.
        case before(BuildID)
        case all
        /// The app keeps legacy: pins run to their end in its builds.
        case none
    }

    /// For each app the first build from which on it is without legacy.
    let builds: [String: BuildID]
    /// The builds without legacy that a later build of their app has outdone.
    let outdone: [BuildID]

    init(of route: String, in configuration: Configuration) {
        let builds = configuration.deletionBuilds(of: route)
        self.builds = builds
        outdone = configuration.builds.values
            .filter { $0.renderers[route] == [.migrated] && builds[$0.id.app] == nil }.map(\.id).sorted()
    }

    /// Where an app was without legacy and is so no longer, or nothing is deleted anywhere, all its builds count, whether
    /// or not they are registered.
    func counted(of app: String) -> Counted {
        if let build = builds[app] { return .before(build) }
        return builds.isEmpty || outdone.contains { $0.app == app } ? .all : .none
    }
}

extension LegacyDeletion.Counted {
    func contains(_ build: BuildID) -> Bool {
        switch self {
        case .before(let first): build < first
        case .all: true
        case .none: false
        }
    }

    /// For people, after "builds".
    var text: String {
        switch self {
        case .before(let first): "before \(first.text)"
        case .all, .none: "that have it"
        }
    }
}
