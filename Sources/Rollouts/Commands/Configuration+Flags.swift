import FlagEvaluation

extension Configuration {
    func puttingFlag(
        _ key: String, _ definition: JSONValue, isStrict: Bool, bucketing: Bucketing?, allowsReshuffle: Bool
    ) throws(RolloutError) -> Change? {
        try checkKey(key)
        let before = flags[key]
        let after = try checkedFlag(
            key, definition, bucketing: bucketing, allowsReshuffle: allowsReshuffle, among: Set(cohorts.keys))
        try checkWarnings(after.warnings, isStrict: isStrict)
        guard after != before else { return nil }
        return Change("flag.put", "flag/\(key)", before: before?.json, after: after.json, row: .flag(after))
    }

    func removingFlag(_ key: String) throws(RolloutError) -> Change? {
        let before = try flag(key)
        return Change("flag.remove", "flag/\(key)", before: before.json, after: nil, row: .removedFlag(key))
    }

    func settingFlagState(_ key: String, isEnabled: Bool) throws(RolloutError) -> Change? {
        let before = try flag(key)
        var after = before
        after.definition["state"] = isEnabled ? "ENABLED" : "DISABLED"
        guard after != before else { return nil }
        // Only what changed: a switch that is flipped often would fill the audit with its definition.
        return Change(
            isEnabled ? "flag.enable" : "flag.disable", "flag/\(key)", before: before.state, after: after.state,
            row: .flag(after))
    }

    /// The flag, or `flag_not_found`.
    package func flag(_ key: String) throws(RolloutError) -> StoredFlag {
        try flags[key].orThrow(RolloutError(.flagNotFound, "There is no flag \"\(key)\" in \(environment)."))
    }

    /// What is to be stored for a definition that somebody sent, beside cohorts of those names.
    func checkedFlag(
        _ key: String, _ definition: JSONValue, bucketing: Bucketing?, allowsReshuffle: Bool,
        among cohorts: Set<String>
    ) throws(RolloutError) -> StoredFlag {
        guard routes[key] == nil else {
            throw RolloutError(
                .keyTaken, "\"\(key)\" is a route, and flags and routes share one namespace.",
                details: ["key": .string(key)])
        }
        let checked: FlagDefinition
        do {
            checked = try FlagDefinition(
                key: key, json: definition, cohorts: cohorts, bucketing: bucketing ?? flags[key]?.bucketing ?? .v2)
        } catch {
            throw RolloutError(.invalidFlag, error.message, details: error.details)
        }
        if let fault = checked.compileFault(beside: evaluators) {
            throw RolloutError(.invalidFlag, fault.message, details: fault.details)
        }
        let before = flags[key]
        let generation = try checkedBucketing(bucketing, of: before, key: key)
        if let before, !allowsReshuffle {
            let found = Reshuffle.all(replacing: before.definition, by: checked.json)
            guard found.isEmpty else { throw .reshuffles(key, found) }
        }
        return StoredFlag(
            key: key, definition: checked.json, warnings: checked.warnings, bucketing: generation)
    }

    private func checkedBucketing(
        _ asked: Bucketing?, of flag: StoredFlag?, key: String
    ) throws(RolloutError) -> Bucketing {
        if let flag {
            guard asked == nil || asked == flag.bucketing else {
                throw RolloutError(
                    .bucketingFixed, "\"\(key)\" is bucketed by \(flag.bucketing.rawValue), and stays so.",
                    details: ["key": .string(key), "bucketing": .string(flag.bucketing.rawValue)])
            }
            return flag.bucketing
        }
        return asked ?? .v2
    }

    func checkWarnings(_ warnings: [FlagWarning], isStrict: Bool) throws(RolloutError) {
        guard isStrict, !warnings.isEmpty else { return }
        throw RolloutError(
            .ruleWarnings, "The rule will not do what it looks like, and strict was asked for.",
            details: ["warnings": .objects(warnings.map(\.json))])
    }
}

extension StoredFlag {
    /// `{"state"}`
    fileprivate var state: JSONObject { ["state": definition["state"] ?? .null] }
}

extension FlagError {
    /// Where the fault lies, and the evaluator's own code for it.
    var details: JSONValue { ["path": .string(path), "fault": .string(code.rawValue)] }
}

extension RolloutError {
    /// `reshuffles`, with each split that would be.
    fileprivate static func reshuffles(_ key: String, _ found: [Reshuffle]) -> RolloutError {
        let splits = found.map { split -> JSONObject in
            ["path": .string(split.path), "cause": .string(split.cause.rawValue)]
        }
        return RolloutError(
            .reshuffles,
            """
            The edit of "\(key)" moves units that no share says to move. Keep the order of variants and the sum of \
            weights, or say that you mean it: reshuffle.
            """, details: ["key": .string(key), "splits": .objects(splits)])
    }
}
