/// The named rules of an environment: flagd's `$evaluators`.
public enum Cohorts {
    /// Checks a rule that somebody wants to store under that key beside the others.
    ///
    /// `evaluators` are the cohorts as they stand, with or without this one.
    public static func check(
        key: String, rule: JSONValue, among evaluators: JSONObject
    ) throws(FlagError) -> [FlagWarning] {
        var evaluators = evaluators
        evaluators[key] = rule
        return try check(key: key, in: evaluators, named: Set(evaluators.keys))
    }

    /// Checks one of these rules, of which `names` are the keys: for whoever checks many of them.
    public static func check(
        key: String, in evaluators: JSONObject, named names: Set<String>
    ) throws(FlagError) -> [FlagWarning] {
        guard Key.isValid(key) else {
            throw FlagError(
                .invalidKey, at: "", "The key \"\(key)\" is not of the form [A-Za-z0-9][A-Za-z0-9._-]{0,127}.")
        }
        guard let rule = evaluators[key], case .object = rule else {
            throw FlagError(.invalidType, at: "", "A cohort's rule is an object.")
        }
        guard !rule.isDeeper(than: JSONLimits.flagFile.depth) else {
            throw FlagError(.tooDeep, at: "", "The rule has more than \(JSONLimits.flagFile.depth) levels.")
        }
        var check = RuleCheck(cohorts: names)
        try check.check(rule, at: JSONPointer())
        if let path = pathBack(to: key, among: evaluators) {
            let names = path.map { "\"\($0)\"" }.joined(separator: " names ")
            throw FlagError(.cohortCycle, at: "", "A cohort that names itself has no meaning: \(names).")
        }
        return check.warnings
    }

    /// The names on a way from a cohort through its references back to itself.
    private static func pathBack(to key: String, among evaluators: JSONObject) -> [String]? {
        /// By which cohort each was come to first.
        var origins: [String: String] = [:]
        var pending = [key]
        while let last = pending.popLast() {
            guard let rule = evaluators[last] else { continue }
            for name in RuleCheck.references(in: rule) {
                if name == key {
                    var way = [last, key]
                    while let first = way.first, first != key, let origin = origins[first] { way.insert(origin, at: 0) }
                    return way
                }
                guard origins[name] == nil else { continue }
                origins[name] = last
                pending.append(name)
            }
        }
        return nil
    }
}
