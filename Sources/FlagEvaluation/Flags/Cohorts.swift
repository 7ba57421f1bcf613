/// The named rules of an environment: flagd's `$evaluators`.
public enum Cohorts {
    /// Checks a rule that somebody wants to store under that key beside the others.
    ///
    /// `evaluators` are the cohorts as they stand, with or without this one.
    public static func check(
        key: String, rule: JSONValue, among evaluators: JSONObject
    ) throws(FlagError) -> [FlagWarning] {
        guard Key.isValid(key) else {
            throw FlagError(
                .invalidKey, at: "", "The key \"\(key)\" is not of the form [A-Za-z0-9][A-Za-z0-9._-]{0,127}.")
        }
        guard case .object = rule else { throw FlagError(.invalidType, at: "", "A cohort's rule is an object.") }
        guard !rule.isDeeper(than: JSONLimits.flagFile.depth) else {
            throw FlagError(.tooDeep, at: "", "The rule has more than \(JSONLimits.flagFile.depth) levels.")
        }
        var evaluators = evaluators
        evaluators[key] = rule
        var check = RuleCheck(cohorts: Set(evaluators.keys))
        try check.check(rule, at: JSONPointer())
        if let path = pathBack(to: key, among: evaluators) {
            let names = path.map { "\"\($0)\"" }.joined(separator: " names ")
            throw FlagError(.cohortCycle, at: "", "A cohort that names itself has no meaning: \(names).")
        }
        return check.warnings
    }

    /// The names on a way from a cohort through its references back to itself.
    private static func pathBack(to key: String, among evaluators: JSONObject) -> [String]? {
        var visited: Set<String> = []
        var ways = [[key]]
        while let way = ways.popLast() {
            guard let last = way.last, let rule = evaluators[last] else { continue }
            for name in RuleCheck.references(in: rule) {
                if name == key { return way + [key] }
                if visited.insert(name).inserted { ways.append(way + [name]) }
            }
        }
        return nil
    }
}
