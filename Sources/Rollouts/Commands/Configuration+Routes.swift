import FlagEvaluation
import RouteContract

extension Configuration {
    /// The route, or `route_not_found`.
    package func route(_ key: String) throws(RolloutError) -> RouteRollout {
        try routes[key].orThrow(RolloutError(.routeNotFound, "There is no route \"\(key)\" in \(environment)."))
    }

    func registeringRoute(
        _ key: String, in flow: String, _ fields: RouteFields, facts: Facts, at now: Int64
    ) throws(RolloutError) -> Change? {
        try checkKey(key)
        _ = try self.flow(flow)
        try check(fields, of: key)
        if let existing = routes[key] {
            guard existing.flow == flow, existing.edited(fields) == existing else {
                throw RolloutError(
                    .routeExists,
                    "There is a route \"\(key)\" already, in the flow \"\(existing.flow)\"; edit it instead.")
            }
            return nil
        }
        guard flags[key] == nil else {
            throw RolloutError(.keyTaken, "\"\(key)\" is a flag, and flags and routes share one namespace.")
        }
        let route = RouteRollout(key: key, flow: flow, createdAt: now).edited(fields)
        try checkSize(of: route)
        try route.checkRestore(after: nil, facts: facts, at: now)
        return Change("route.register", "route/\(key)", before: nil, after: route.json, row: .route(route))
    }

    func editingRoute(_ key: String, _ fields: RouteFields, facts: Facts, at now: Int64) throws(RolloutError) -> Change?
    {
        let before = try route(key)
        try check(fields, of: key)
        if let plan = fields.plan { try before.checkReplacing(planBy: plan) }
        let after = before.edited(fields)
        guard after != before else { return nil }
        if after.plan != before.plan { try refuse(changesOf: before) }
        if after.plan != before.plan { try checkSize(of: after) }
        try after.checkRestore(after: before, facts: facts, at: now)
        return Change("route.edit", "route/\(key)", before: before.json, after: after.json, row: .route(after))
    }

    private func check(_ fields: RouteFields, of key: String) throws(RolloutError) {
        try fields.check()
        for step in fields.plan?.steps ?? [] {
            if let name = step.cohort { _ = try cohort(name) }
        }
        for required in fields.requires ?? [] { _ = try route(required) }
        try checkRequires(fields.requires ?? [], of: key)
        for excluded in fields.excludes ?? [] {
            guard excluded != key else { throw .invalidField("/excludes", "routes other than this one") }
            _ = try route(excluded)
        }
    }

    /// Two routes that wait for one another could never start.
    private func checkRequires(_ requires: [String], of key: String) throws(RolloutError) {
        var seen: Set<String> = []
        var pending = requires
        while let next = pending.popLast() {
            guard next != key else {
                throw RolloutError(
                    .requiresCycle, "\"\(key)\" would wait for itself.", details: ["requires": .strings(requires)])
            }
            if seen.insert(next).inserted { pending += routes[next]?.requires ?? [] }
        }
    }
}

extension RouteRollout {
    fileprivate func edited(_ fields: RouteFields) -> RouteRollout {
        var route = self
        route.owner = fields.owner ?? owner
        route.reason = fields.purpose ?? reason
        route.contract = fields.contract ?? contract
        // What was measured would count for a contract that was not rehearsed.
        if route.contract != contract { route.rehearsal = nil }
        route.entryPoints = fields.entryPoints ?? entryPoints
        route.requires = fields.requires ?? requires
        route.excludes = fields.excludes ?? excludes
        route.legacySymbols = fields.legacySymbols ?? legacySymbols
        route.deletion = fields.deletion ?? deletion
        route.restore = fields.restore ?? restore
        if let plan = fields.plan {
            // An approval is for the step as it was.
            if plan != self.plan { route.approval = nil }
            route.plan = plan
            // A step is known to be healthy only while it and all below it are what they were.
            let same = zip(plan.steps, self.plan?.steps ?? []).prefix { $0.cohort == $1.cohort && $0.share == $1.share }
                .count
            route.highestHealthyStep = min(highestHealthyStep, same)
        }
        return route
    }

    /// A journey may change its renderer at a resume only where it is shown that the other one takes what was saved. A
    /// new contract saves something else.
    fileprivate func checkRestore(
        after before: RouteRollout?, facts: Facts, at now: Int64
    ) throws(RolloutError) {
        guard restore == .redecide, before?.restore != .redecide || before?.contract != contract,
            facts.evidence(.restorationFixtures, for: self, at: now).first?.finding.verdict != .pass
        else { return }
        throw RolloutError(
            .restoreNotProven,
            "\"\(key)\" may choose anew at a resume once evidence of restoration fixtures shows that both renderers take "
                + "the saved route; until then keep the pin.",
            details: ["route": .string(key)])
    }

    /// At the step that decides now only the verbs change who gets migrated: an edit that narrows it would move units
    /// back in silence, and one that widens it would pass by the gates.
    fileprivate func checkReplacing(planBy plan: RolloutPlan) throws(RolloutError) {
        try checkReplacing(holdoutBy: plan.holdout)
        try checkReplacing(deletionBy: plan)
        guard stage == .partialRollout, step > 0, let old = self.plan else { return }
        let details: JSONValue = ["step": .integer(Int64(step))]
        let (now, then) = (old.exposure(atStep: step), plan.exposure(atStep: step))
        guard plan.steps.count >= step, then.covers(now) else {
            throw RolloutError(
                .planShrinks,
                "Step \(step) decides now and may not give migrated to fewer; retreat or roll back first.",
                details: details)
        }
        guard now.covers(then) else {
            throw RolloutError(
                .planWidens, "Step \(step) decides now and may not be widened by an edit; add a step and advance.",
                details: details)
        }
        let asksNothing = RolloutPlan.Step(cohort: nil, share: 0)
        guard !old.steps.dropFirst(plan.steps.count).contains(where: asksNothing.isLooser) else {
            throw RolloutError(
                .planWidens,
                "Steps that ask for something may not be taken away while the ladder is climbed.",
                details: ["steps": .integer(Int64(old.steps.count))])
        }
        // From here on: what lies below is passed.
        if let loosened = (step - 1..<plan.steps.count).first(where: { plan.asksForLess(atIndex: $0, than: old) }) {
            throw RolloutError(
                .planWidens,
                "Step \(loosened + 1) may not ask for less while the ladder is climbed; retreat or roll back first.",
                details: ["step": .integer(Int64(loosened + 1))])
        }
    }

    /// What must hold before legacy is disabled or deleted is not loosened by who waits for it.
    private func checkReplacing(deletionBy plan: RolloutPlan) throws(RolloutError) {
        guard stage >= .defaultNew, let old = self.plan else { return }
        guard plan.releasesBeforeDisabling >= old.releasesBeforeDisabling,
            plan.legacyShareAtDeletion <= old.legacyShareAtDeletion
        else {
            throw RolloutError(
                .planWidens, "From defaultNew on the plan may not ask for less before legacy is disabled and deleted.",
                details: ["path": "/plan"])
        }
    }

    /// While it decides a holdout never grows: who has seen migrated is no control any more. It is given up step by step
    /// only when all gates of the ladder are passed, and as a whole by advancing to oldDisabled.
    private func checkReplacing(holdoutBy holdout: Int) throws(RolloutError) {
        let old = plan?.holdout ?? 0
        guard decidesByPlan, holdout != old else { return }
        let details: JSONValue = ["holdout": .integer(Int64(old)), "path": "/plan/holdout"]
        if holdout > old {
            throw RolloutError(
                .planShrinks, "The holdout is \(old) and decides now: it may not grow. Roll back first.",
                details: details)
        }
        if stage == .partialRollout {
            throw RolloutError(
                .planWidens, "The holdout is \(old) and stays so on the ladder; it may shrink from defaultNew on.",
                details: details)
        }
    }
}
