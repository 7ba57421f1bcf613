import RouteContract

extension Configuration {
    func gatesToOldDisabled(of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        let needed = route.plan?.releasesBeforeDisabling ?? RolloutPlan.usualReleasesBeforeDisabling
        let done = releases(of: route, upTo: now)
        // A rollback leaves the stage, so a route that is here now was not flipped back since the stage began.
        let isDefault = route.stage == .defaultNew && route.status != .rolledBack
        let flippedBack = isDefault ? route.excludedText : "the route is not migrated by default now"
        return [
            .gate(
                "releases",
                fails: done >= needed ? nil : "\(done) of \(needed) released since migrated is the default for all",
                remedy: "Release \(needed) versions of each app with the route after it became the default for all."),
            .gate(
                "notFlippedBack", fails: flippedBack,
                remedy: "Advance to defaultNew again and stay there, with every scoped rollback lifted."),
            restorationGate(of: route, releases: needed, facts: facts, at: now),
        ] + orderGates(of: route, entering: .oldDisabled)
    }

    func gatesToOldDeleted(of route: RouteRollout, facts: Facts, at now: Int64) -> [GateResult] {
        let deletion = LegacyDeletion(of: route.key, in: self)
        let notDeleted =
            deletion.outdone.isEmpty
            ? nil
            : deletion.outdone.map(\.text).joined(separator: ", ")
                + " is without legacy, and a later build has it again"
        let share = route.plan?.legacyShareAtDeletion ?? RolloutPlan.usualLegacyShare
        let left =
            facts.livePins(of: route.key).map { $0.legacyLeft(deletion, share: share) }
            ?? "live pins were not counted"
        let old =
            facts.recentJourneys.map { oldBuildsLeft($0, deletion, share: share) }
            ?? "journeys by build were not counted"
        let most = "at most \(share) of 100 000"
        return [
            .gate(
                "deletionBuild",
                fails: notDeleted ?? (deletion.builds.isEmpty ? "every registered build still has legacy" : nil),
                remedy: "Register a build whose manifest has migrated and no longer legacy for \(route.key)."),
            .gate(
                "livePins", isHard: true, fails: left,
                remedy: "Wait until legacy pins of builds before the deletion build are \(most) journeys in flight."),
            .gate(
                "oldBuilds", fails: old,
                remedy: "Wait until builds before the deletion build start \(most) journeys of the last 30 days."),
            .gate(
                "notExcluded", isHard: true, fails: route.excludedText,
                remedy: "Lift the scoped rollbacks: what they stop needs legacy."),
            referencesGate(of: route, deletionBuilds: deletion.builds, facts: facts, at: now),
        ] + orderGates(of: route, entering: .oldDeleted)
    }
}

extension RouteRollout {
    /// What is rolled back of the route by scopes; nil when nothing is.
    fileprivate var excludedText: String? {
        guard !exclusions.isEmpty else { return nil }
        return "rolled back for " + exclusions.map { "\($0.scope.text) (\($0.id))" }.joined(separator: "; ")
    }
}
