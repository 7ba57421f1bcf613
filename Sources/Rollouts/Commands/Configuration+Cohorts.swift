import FlagEvaluation

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

    func puttingCohort(_ key: String, _ rule: JSONValue, isStrict: Bool) throws(RolloutError) -> Change? {
        try checkKey(key)
        try checkWarnings(try warnings(of: rule, as: key), isStrict: isStrict)
        let (before, after) = (cohorts[key], Cohort(key: key, rule: rule))
        guard after != before else { return nil }
        return Change("cohort.put", "cohort/\(key)", before: before?.json, after: after.json, row: .cohort(after))
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

    private func warnings(of rule: JSONValue, as key: String) throws(RolloutError) -> [FlagWarning] {
        do {
            return try Cohorts.check(key: key, rule: rule, among: evaluators)
        } catch {
            let code: RolloutError.Code = error.code == .cohortCycle ? .cohortCycle : .invalidCohort
            throw RolloutError(code, error.message, details: error.details)
        }
    }

    /// What names the cohort, as the audit writes subjects.
    private func users(ofCohort key: String) -> [String] {
        let routes = routes.values.filter { $0.plan?.steps.contains { $0.cohort == key } ?? false }
        let flags = flags.values.filter { JSONValue.object($0.definition).references(cohort: key) }
        let cohorts = cohorts.values.filter { $0.rule.references(cohort: key) }
        return (routes.map { "route/\($0.key)" } + flags.map { "flag/\($0.key)" } + cohorts.map { "cohort/\($0.key)" })
            .sorted()
    }
}

extension JSONValue {
    /// Whether `{"$ref": key}` stands anywhere in the value. Not recursive: the depth is the sender's choice.
    fileprivate func references(cohort key: String) -> Bool {
        var pending = [self]
        while let value = pending.popLast() {
            switch value {
            case .object(let object):
                if object["$ref"] == .string(key) || object["$ref"] == [.string(key)] { return true }
                pending += object.entries.map(\.value)
            case .array(let elements): pending += elements
            default: break
            }
        }
        return false
    }
}
