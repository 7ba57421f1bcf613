import FlagEvaluation
import RouteContract

extension Configuration {
    /// The cohort, or `cohort_not_found`.
    package func cohort(_ key: String) throws(RolloutError) -> Cohort {
        try cohorts[key].orThrow(RolloutError(.cohortNotFound, "There is no cohort \"\(key)\" in \(environment)."))
    }

    /// The cohorts' rules by key: flagd's `$evaluators`.
    package var evaluators: JSONObject {
        JSONObject(cohorts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.rule) })
    }

    /// What in a stored cohort's rule will not do what it looks like.
    package func warnings(ofCohort key: String) throws(RolloutError) -> [FlagWarning] {
        try warnings(of: try cohort(key).rule, as: key)
    }

    func puttingCohort(
        _ key: String, _ rule: JSONValue, isStrict: Bool, isForced: Bool, by actor: Actor
    ) throws(RolloutError) -> Change? {
        try checkKey(key)
        try checkWarnings(try warnings(of: rule, as: key), isStrict: isStrict)
        let (before, after) = (cohorts[key], Cohort(key: key, rule: rule))
        guard after != before else { return nil }
        let ladders = try checkLadders(changing: key, isForced: isForced, by: actor)
        try checkSizes(changing: after)
        var noted = after.json
        if !ladders.isEmpty {
            noted["forced"] = true
            noted["forcedRoutes"] = .strings(ladders)
        }
        return Change("cohort.put", "cohort/\(key)", before: before?.json, after: noted, row: .cohort(after))
    }

    /// The routes at whose step a cohort decides now; refused unless the change is forced by the role admin.
    private func checkLadders(
        changing key: String, isForced: Bool, by actor: Actor
    ) throws(RolloutError) -> [String] {
        guard isForced else {
            try checkLadders(changing: key)
            return []
        }
        let ladders = ladders(decidedBy: key)
        guard ladders.isEmpty || actor.role == .admin else {
            throw RolloutError(
                .notAllowed, "Only the role admin may force a change of a cohort, not \(actor.role.rawValue).")
        }
        return ladders
    }

    /// Refuses to change a cohort that decides in a ladder now.
    ///
    /// Shares are the business of `advance` and its gates: a rule that changes beneath them would pass all of these by.
    func checkLadders(changing key: String) throws(RolloutError) {
        let ladders = ladders(decidedBy: key)
        guard ladders.isEmpty else {
            throw RolloutError(
                .cohortInLadder,
                """
                The cohort "\(key)" decides now for \(ladders.joined(separator: ", ")). Make another cohort and add it to \
                the plan, or roll back first; only the role admin may force it.
                """, details: ["routes": .strings(ladders)])
        }
    }

    /// The routes at whose step the cohort decides now, by key.
    func ladders(decidedBy key: String) -> [String] {
        let cohorts = cohorts(naming: key)
        return routes(naming: key).filter { $0.decidingCohorts.contains(where: cohorts.contains) }.map(\.key)
    }

    /// All cohorts that decide in a ladder now, or will when it climbs by itself, directly or through others.
    func cohortsInLadders() -> Set<String> {
        var found: Set<String> = []
        var pending = routes.values.flatMap { route in
            route.decidingCohorts + (route.climbsByItself ? route.plan?.steps.compactMap(\.cohort) ?? [] : [])
        }
        while let next = pending.popLast() {
            guard found.insert(next).inserted, let rule = cohorts[next]?.rule else { continue }
            pending += rule.cohortReferences
        }
        return found
    }

    /// The cohort and those that name it, directly or through others.
    private func cohorts(naming key: String) -> Set<String> {
        var found: Set<String> = [key]
        var pending = [key]
        while let next = pending.popLast() {
            for cohort in cohorts.values where !found.contains(cohort.key) && cohort.rule.references(cohort: next) {
                found.insert(cohort.key)
                pending.append(cohort.key)
            }
        }
        return found
    }

    /// The routes whose plan names a cohort, directly or through other cohorts, by key.
    package func routes(naming cohort: String) -> [RouteRollout] {
        let cohorts = cohorts(naming: cohort)
        return routes.values
            .filter {
                $0.plan?.steps.contains { $0.cohort.map(cohorts.contains) ?? false } ?? false
                    || $0.rehearsal.map { cohorts.contains($0.cohort) } ?? false
            }
            .sorted { $0.key < $1.key }
    }

    func removingCohort(_ key: String) throws(RolloutError) -> Change? {
        let before = try cohort(key)
        let users = users(ofCohort: key)
        guard users.isEmpty else {
            throw RolloutError(
                .cohortInUse, "The cohort \"\(key)\" is named by \(users.joined(separator: ", ")).",
                details: ["usedBy": .strings(users)])
        }
        return Change("cohort.remove", "cohort/\(key)", before: before.json, after: nil, row: .removedCohort(key))
    }

    func warnings(of rule: JSONValue, as key: String) throws(RolloutError) -> [FlagWarning] {
        do {
            return try Cohorts.check(key: key, rule: rule, among: evaluators)
        } catch {
            throw RolloutError(cohort: error)
        }
    }

    /// What names the cohort, as the audit writes subjects.
    func users(ofCohort key: String) -> [String] {
        let routes = routes.values.filter {
            $0.plan?.steps.contains { $0.cohort == key } ?? false || $0.rehearsal?.cohort == key
        }
        let flags = flags.values.filter { JSONValue.object($0.definition).references(cohort: key) }
        let cohorts = cohorts.values.filter { $0.rule.references(cohort: key) }
        return (routes.map { "route/\($0.key)" } + flags.map { "flag/\($0.key)" } + cohorts.map { "cohort/\($0.key)" })
            .sorted()
    }
}

extension RolloutError {
    /// A rule that cannot be a cohort's.
    init(cohort error: FlagError) {
        self.init(
            error.code == .cohortCycle ? .cohortCycle : .invalidCohort, error.message, details: error.details)
    }
}

extension RouteRollout {
    /// Whether the service climbs its ladder when that is due.
    var climbsByItself: Bool { stage == .partialRollout && plan?.advance == .automatic }

    /// The cohorts that its ladder or its rehearsal asks for now.
    fileprivate var decidingCohorts: [String] {
        let rehearsed = [rehearsal?.cohort].compactMap(\.self)
        guard stage == .partialRollout, step > 0, let plan else { return rehearsed }
        return rehearsed + plan.steps.prefix(step).compactMap(\.cohort)
    }
}

extension JSONValue {
    /// Whether `{"$ref": key}` stands anywhere in the value.
    fileprivate func references(cohort key: String) -> Bool { cohortReferences.contains(key) }

    /// The names in every `{"$ref": …}` of the value. Not recursive: the depth is the sender's choice.
    var cohortReferences: [String] {
        var found: [String] = []
        var pending = [self]
        while let value = pending.popLast() {
            switch value {
            case .object(let object):
                if let name = object["$ref"]?.string ?? object["$ref"]?.array?.first?.string { found.append(name) }
                pending += object.entries.map(\.value)
            case .array(let elements): pending += elements
            default: break
            }
        }
        return found
    }
}
