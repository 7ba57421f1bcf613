import RouteContract

/// How often the apps are released that have the legacy entry of some routes.
package struct ReleasePace: Hashable, Sendable {
    /// The days up to now that were looked at.
    package let days: Int
    /// The versions that were released for the first time in these days, by app.
    package let releases: [String: Int]

    /// The app that was released least often: what waits for releases waits for it. Nil when no app has the routes.
    package var limitingApp: String? {
        releases.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// Days from one release of the limiting app to the next; nil when it had none.
    package var intervalDays: Double? {
        guard let count = releases.values.min(), count > 0 else { return nil }
        return Double(days) / Double(count)
    }
}

extension Configuration {
    /// How often the apps were released lately of which a build has the legacy entry of one of these routes.
    ///
    /// Like the gate before `oldDisabled` it goes by versions: a second build of one is no release of its own.
    package func releasePace(of routes: Set<String>, days: Int, upTo now: Int64) -> ReleasePace {
        let able = builds.values.filter { build in
            build.renderers.contains { routes.contains($0.key) && $0.value.contains(.legacy) }
        }
        var firsts = Dictionary(able.map { ($0.id.app, [String: Int64]()) }, uniquingKeysWith: { first, _ in first })
        for build in builds.values {
            guard let released = build.releasedAt, released <= now, let known = firsts[build.id.app] else { continue }
            firsts[build.id.app]?[build.version] = min(known[build.version] ?? .max, released)
        }
        let since = now - Int64(days) * 86_400_000
        return ReleasePace(days: days, releases: firsts.mapValues { $0.values.count { $0 > since } })
    }
}
