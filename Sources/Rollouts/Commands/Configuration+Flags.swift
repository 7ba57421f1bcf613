import FlagEvaluation

extension Configuration {
    func puttingFlag(_ key: String, _ definition: JSONValue, isStrict: Bool) throws(RolloutError) -> Change? {
        try checkKey(key)
        guard routes[key] == nil else {
            throw RolloutError(.keyTaken, "\"\(key)\" is a route, and flags and routes share one namespace.")
        }
        let checked: FlagDefinition
        do {
            checked = try FlagDefinition(key: key, json: definition, cohorts: Set(cohorts.keys))
        } catch {
            throw RolloutError(.invalidFlag, error.message, details: error.details)
        }
        try checkWarnings(checked.warnings, isStrict: isStrict)
        let (before, after) = (
            flags[key], StoredFlag(key: key, definition: checked.json, warnings: checked.warnings)
        )
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
        return Change(
            isEnabled ? "flag.enable" : "flag.disable", "flag/\(key)", before: before.json, after: after.json,
            row: .flag(after))
    }

    /// The flag, or `flag_not_found`.
    package func flag(_ key: String) throws(RolloutError) -> StoredFlag {
        try flags[key].orThrow(RolloutError(.flagNotFound, "There is no flag \"\(key)\" in \(environment)."))
    }

    func checkWarnings(_ warnings: [FlagWarning], isStrict: Bool) throws(RolloutError) {
        guard isStrict, !warnings.isEmpty else { return }
        throw RolloutError(
            .ruleWarnings, "The rule will not do what it looks like, and strict was asked for.",
            details: ["warnings": .objects(warnings.map(\.json))])
    }
}

extension FlagError {
    /// Where the fault lies, and the evaluator's own code for it.
    var details: JSONValue { ["path": .string(path), "fault": .string(code.rawValue)] }
}
