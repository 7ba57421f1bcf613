import FlagEvaluation
import RouteContract

extension Configuration {
    /// The renderers that a journey from that build may be given for a route.
    ///
    /// A registered manifest wins over a claim of more, and a claim of less is believed. Without a registered build the
    /// environment says what holds. Empty when the build has nothing for the route.
    package func renderers(
        of route: String, in build: BuildID?, claimed: Set<Renderer>?
    ) -> Set<Renderer> {
        let compiled = build.flatMap { builds[$0] }.map { $0.renderers[route] ?? [] } ?? settings.unknownBuild.renderers
        return claimed.map { compiled.intersection($0) } ?? compiled
    }

    /// For each app the first build from which on every build that has the route has it without its legacy entry.
    ///
    /// A build that was registered by mistake is outdone by a later one that has legacy again.
    package func deletionBuilds(of route: String) -> [String: BuildID] {
        let having = builds.values.filter { $0.renderers[route]?.isEmpty == false }
        let lastWith = Dictionary(
            having.filter { $0.renderers[route] != [.migrated] }.map { ($0.id.app, $0.id) }, uniquingKeysWith: max)
        let without = having.map(\.id).filter { id in lastWith[id.app].map { $0 < id } ?? true }
        return Dictionary(without.map { ($0.app, $0) }, uniquingKeysWith: min)
    }

    /// How many versions were released since the route's stage began and nothing of it was flipped back, in the app that
    /// has fewest; only apps whose builds have the legacy entry count.
    func releases(of route: RouteRollout, upTo now: Int64) -> Int {
        newestVersions(of: route, upTo: now).values.map(\.count).min() ?? 0
    }

    /// The routes that a build has without legacy although migrated is not their default yet: in it nobody gets the
    /// choice, and a rollback does not reach it.
    package func routesWithoutChoice(in build: BuildID) -> [String] {
        let renderers = builds[build]?.renderers ?? [:]
        return renderers.filter { $0.value == [.migrated] && routes[$0.key].map { $0.stage < .defaultNew } ?? false }
            .keys.sorted()
    }

    func puttingBuild(_ build: Build) throws(RolloutError) -> Change? {
        try build.check()
        if let existing = builds[build.id] {
            var after = existing
            // A repeat that does not know the release does not take it back.
            after.releasedAt = build.releasedAt ?? existing.releasedAt
            var asked = build
            asked.releasedAt = after.releasedAt
            guard asked == after else {
                throw RolloutError(
                    .buildExists,
                    "\(build.id.text) is registered with other content; only releasedAt may change. Use a new number.")
            }
            guard after != existing else { return nil }
            return Change(
                "build.put", "build/\(build.id.text)", before: existing.json, after: after.json, row: .build(after))
        }
        for (key, renderers) in build.renderers.sorted(by: { $0.key < $1.key }) {
            let route = try route(key)
            guard route.stage == .oldDeleted, renderers.contains(.legacy),
                let deleted = deletionBuilds(of: key)[build.id.app], deleted < build.id
            else { continue }
            throw RolloutError(
                .rendererDeleted,
                "\(deleted.text) no longer has the legacy entry of \"\(key)\", so no later build may.",
                details: ["route": .string(key), "deletionBuild": .string(deleted.text)])
        }
        return Change("build.put", "build/\(build.id.text)", before: nil, after: build.json, row: .build(build))
    }
}

extension Build {
    fileprivate func check() throws(RolloutError) {
        guard BuildID(id.text) == id else { throw .invalidField("/build", "an app's key, a colon and a number") }
        guard !version.isBlank else { throw .invalidField("/version", "the release's version") }
        for (key, renderers) in renderers where renderers.isEmpty {
            throw .invalidField("/renderers/\(key)", "a list of at least one renderer")
        }
    }
}
