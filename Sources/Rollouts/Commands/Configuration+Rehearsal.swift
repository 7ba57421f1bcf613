import FlagEvaluation
import RouteContract

extension Configuration {
    /// Gives a cohort migrated for so many seconds, and legacy for as many again while clients come back.
    func rehearsing(
        _ key: String, cohort: String, seconds: Int64, by actor: Actor, at now: Int64
    ) throws(RolloutError) -> Change? {
        let before = try route(key)
        _ = try self.cohort(cohort)
        guard Rehearsal.seconds.contains(seconds) else {
            throw .invalidField("/seconds", "an integer from 60 to 3600")
        }
        guard before.stage == .compatible, before.status == .active else { throw before.cannotRehearse }
        if before.rehearsal?.cohort == cohort, before.rehearsal?.isBack == false { return nil }
        guard before.rehearsal == nil else {
            throw RolloutError(
                .illegalMove, "A rehearsal of \"\(key)\" is under way; end it first.",
                details: ["route": .string(key), "legal": .strings(before.legalVerbs)])
        }
        var after = before
        let half = seconds * 1_000
        after.rehearsal = Rehearsal(
            cohort: cohort, startedAt: now, backAt: now + half, endsAt: now + 2 * half, by: actor.name)
        try checkSize(of: after)
        return Change("route.rehearse", "route/\(key)", before: before.json, after: after.json, row: .route(after))
    }

    /// Ends a rehearsal at once, without a result.
    func endingRehearsal(of key: String) throws(RolloutError) -> Change? {
        let before = try route(key)
        guard before.rehearsal != nil else { return nil }
        var after = before
        after.rehearsal = nil
        return Change("route.endRehearsal", "route/\(key)", before: before.json, after: after.json, row: .route(after))
    }

    /// Writes down what the clock has done: the flip back, or the end. Nil when nothing is due.
    func turningRehearsal(of key: String, at now: Int64) throws(RolloutError) -> Change? {
        var after = try route(key)
        guard let rehearsal = after.rehearsal, rehearsal.isDue(at: now) else { return nil }
        if rehearsal.isBack { return try endingRehearsal(of: key) }
        after.rehearsal?.isBack = true
        return Change(
            "route.rehearse", "route/\(key)", before: try route(key).json, after: after.json, row: .route(after))
    }
}

extension Rehearsal {
    /// Whether something is to be written down.
    package func isDue(at now: Int64) -> Bool { now >= (isBack ? endsAt : backAt) }

    /// Whether somebody in the cohort is given migrated, as a rule.
    var rule: JSONValue {
        ["and": [["<": [["var": "$flagd.timestamp"], .integer(backAt / 1_000)]], ["$ref": .string(cohort)]]]
    }
}

extension RouteRollout {
    /// The rehearsal that may give migrated now, as far as no clock is asked.
    var rehearsalInForce: Rehearsal? {
        stage == .compatible && status == .active ? rehearsal.flatMap { $0.isBack ? nil : $0 } : nil
    }

    fileprivate var cannotRehearse: RolloutError {
        RolloutError(
            .illegalMove,
            "\"\(key)\" is \(stage.rawValue) and \(status.rawValue): a rehearsal comes before the ladder, in compatible.",
            details: [
                "route": .string(key), "stage": .string(stage.rawValue), "status": .string(status.rawValue),
                "legal": .strings(legalVerbs),
            ])
    }
}
