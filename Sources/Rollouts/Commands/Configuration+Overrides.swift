import FlagEvaluation
import RouteContract

extension Configuration {
    /// The longest time that an override may be set for.
    package static let longestOverrideMilliseconds: Int64 = 30 * 86_400_000
    /// The most overrides that a route may have at one time.
    package static let mostOverrides = 500

    /// The overrides of a route by unit, those that have ended included.
    package func overrides(of route: String) -> [Override] {
        overrides.values.filter { $0.id.route == route }.sorted { $0.id < $1.id }
    }

    func settingOverride(_ override: Override, at now: Int64) throws(RolloutError) -> Change? {
        try settingOverride(override, beside: overrides(of: override.id.route), at: now)
    }

    /// The same when the overrides of the route are known: to look for them takes as long as there are any in the
    /// environment.
    func settingOverride(
        _ override: Override, beside known: [Override], at now: Int64
    ) throws(RolloutError) -> Change? {
        let route = try route(override.id.route)
        guard route.obeysOverrides else {
            throw RolloutError(
                .overrideNotAllowed,
                """
                "\(route.key)" is \(route.stage.rawValue) and \(route.status.rawValue): an override counts from \
                compatible to defaultNew, and not while the route is rolled back or an island.
                """, details: ["stage": .string(route.stage.rawValue), "status": .string(route.status.rawValue)])
        }
        try override.check(at: now)
        let before = overrides[override.id]
        guard before != override else { return nil }
        let ended = known.filter { !$0.holds(at: now) && $0.id != override.id }
        let others = known.count - ended.count - (before == nil ? 0 : 1)
        guard others < Self.mostOverrides else {
            throw RolloutError(
                .overrideNotAllowed, "\"\(route.key)\" has \(Self.mostOverrides) overrides: a cohort is the better way."
            )
        }
        var after = override.json
        if !ended.isEmpty { after["removed"] = .strings(ended.map(\.id.unit)) }
        let gone = ([before].compactMap { $0 } + ended).map(\.json)
        return Change(
            "override.set", "override/\(route.key)",
            before: ended.isEmpty ? .members(before?.json) : ["overrides": .objects(gone)], after: .object(after),
            rows: [.override(override)] + ended.map { .removedOverride($0.id) })
    }

    /// Removes one override of a route, or with a nil unit all of them.
    func clearingOverrides(of key: String, unit: String?) throws(RolloutError) -> Change? {
        _ = try route(key)
        let cleared =
            unit.map { unit in overrides[Override.ID(route: key, unit: unit)].map { [$0] } ?? [] } ?? overrides(of: key)
        guard !cleared.isEmpty else { return nil }
        return Change(
            "override.clear", "override/\(key)", before: ["overrides": .objects(cleared.map(\.json))], after: .null,
            rows: cleared.map { .removedOverride($0.id) })
    }

    /// What a rollback takes away besides the ladder: where only overrides give migrated, stopping ends them.
    func overridesCleared(by verb: Verb, of routes: [RouteRollout]) -> [Override] {
        guard verb.rollsBack else { return [] }
        return routes.filter { $0.stage == .compatible }.flatMap { overrides(of: $0.key) }
    }
}

extension RouteRollout {
    /// Whether overrides decide: between notStarted and oldDisabled, unless everybody is kept on legacy.
    package var obeysOverrides: Bool {
        (Stage.compatible ... .defaultNew).contains(stage) && (status == .active || status == .held)
    }
}

extension Override {
    fileprivate func check(at now: Int64) throws(RolloutError) {
        guard (1...256).contains(id.unit.utf8.count) else { throw .invalidField("/unit", "a text of 1 to 256 bytes") }
        guard !owner.isBlank else { throw .invalidField("/owner", "a name") }
        let latest = now.addingReportingOverflow(Configuration.longestOverrideMilliseconds).partialValue
        guard expiresAt > now, expiresAt <= latest else {
            throw .invalidField("/expiresAt", "a time to come, at most 30 days ahead")
        }
    }
}
