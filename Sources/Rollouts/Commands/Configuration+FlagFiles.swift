import FlagEvaluation

extension Configuration {
    /// Takes in a flag file as a whole or not at all. What is not in it stays as it is.
    func importingFlags(
        _ json: JSONValue, isStrict: Bool, bucketing: Bucketing?, allowsReshuffle: Bool
    ) throws(RolloutError) -> Change? {
        let file: FlagFile
        do {
            file = try FlagFile(json: json)
        } catch {
            let isCohort = error.code == .cohortCycle || error.path.hasPrefix("/$evaluators")
            throw RolloutError(isCohort ? .invalidCohort : .invalidFlag, error.message, details: error.details)
        }
        try checkRouteKeys(of: file)
        var all = self
        var part = ImportedPart()
        var warnings: [FlagWarning] = []
        for (key, rule) in file.evaluators.entries { all.cohorts[key] = Cohort(key: key, rule: rule) }
        for (key, rule) in file.evaluators.entries {
            // Once more among all that there will be: a cohort of the environment may name one of the file.
            let doubtful = try all.warnings(of: rule, as: key)
            warnings += doubtful.map { $0.within("/$evaluators", key) }
            part.add("cohorts", key, before: cohorts[key]?.json, after: Cohort(key: key, rule: rule).json)
            if cohorts[key]?.rule != rule {
                try checkLadders(changing: key)
                part.rows.append(.cohort(Cohort(key: key, rule: rule)))
            }
        }
        let names = Set(all.cohorts.keys)
        for flag in file.flags {
            let after = try checkedFlag(
                flag.key, .object(flag.json), bucketing: bucketing, allowsReshuffle: allowsReshuffle, among: names)
            warnings += after.warnings.map { $0.within("/flags", flag.key) }
            part.add("flags", flag.key, before: flags[flag.key]?.json, after: after.json)
            if flags[flag.key] != after { part.rows.append(.flag(after)) }
            all.store(.flag(after))
        }
        try checkSizes(in: all, changing: file.evaluators.keys)
        try checkWarnings(warnings, isStrict: isStrict)
        let settings = settings.takingIn(flagFile: json.object ?? JSONObject())
        if settings != self.settings {
            part.before["settings"] = .object(self.settings.json)
            part.after["settings"] = .object(settings.json)
            part.rows.append(.settings(settings))
        }
        guard !part.rows.isEmpty else { return nil }
        return Change(
            "flag.import", "environment/\(environment)", before: .object(part.before), after: .object(part.after),
            rows: part.rows)
    }

    private func checkRouteKeys(of file: FlagFile) throws(RolloutError) {
        let taken = file.flags.map(\.key).filter { routes[$0] != nil }
        guard taken.isEmpty else {
            throw RolloutError(
                .keyTaken,
                "These are routes, and flags and routes share one namespace: \(taken.joined(separator: ", ")).",
                details: ["keys": .strings(taken)])
        }
    }

    /// All ordinary flags as one file in flagd's format, with the cohorts and what an imported file had beside them.
    ///
    /// A file is read with one generation of bucketing, so one that would hold others is refused. With `withRoutes` the
    /// routes are in it as the flags that decide their renderers, for a program that evaluates the file by itself.
    package func flagFile(
        _ bucketing: Bucketing = .v2, withRoutes: Bool = false
    ) throws(RolloutError) -> JSONObject {
        let others = flags.values.filter { $0.bucketing != bucketing }.map(\.key).sorted()
        let routes = withRoutes ? rendererFlags() : [:]
        guard others.isEmpty, routes.isEmpty || bucketing == .v2 else {
            let keys = others + (bucketing == .v2 ? [] : routes.keys.sorted())
            throw RolloutError(
                .bucketingMixed,
                "Read as \(bucketing.rawValue), a file would bucket these anew: \(keys.joined(separator: ", ")).",
                details: ["keys": .strings(keys), "bucketing": .string(bucketing.rawValue)])
        }
        let all = flags.mapValues(\.definition).merging(routes) { flag, _ in flag }.sorted { $0.key < $1.key }
        var file: JSONObject = ["flags": .object(JSONObject(all.map { ($0.key, .object($0.value)) }))]
        for (name, value) in settings.flagSet.entries { file[name] = value }
        if !cohorts.isEmpty { file["$evaluators"] = .object(evaluators) }
        return file
    }
}

extension EnvironmentSettings {
    /// Refuses what could not have come from a flag file: it is written over every one that is exported.
    func checkFlagSet() throws(RolloutError) {
        guard flagSet["flags"] == nil, flagSet["$evaluators"]?.object?.entries.isEmpty ?? true else {
            throw ConfigurationDocument.invalid("/settings/flagSet", "without flags and cohorts, which stand apart")
        }
        var file = flagSet
        file["flags"] = [:]
        do {
            _ = try FlagFile(json: .object(file))
        } catch {
            throw ConfigurationDocument.invalid("/settings/flagSet", "of a flag file: \(error.message)")
        }
    }
}

/// What an import changes, as the audit shows it.
private struct ImportedPart {
    var before = JSONObject()
    var after = JSONObject()
    var rows: [ConfigurationRow] = []

    mutating func add(_ kind: String, _ key: String, before old: JSONObject?, after new: JSONObject) {
        guard old != new else { return }
        if let old { before.set(.object(old), of: key, in: kind) }
        after.set(.object(new), of: key, in: kind)
    }
}

extension JSONObject {
    fileprivate mutating func set(_ value: JSONValue, of key: String, in kind: String) {
        var members = self[kind]?.object ?? JSONObject()
        members[key] = value
        self[kind] = .object(members)
    }
}

extension FlagWarning {
    fileprivate func within(_ collection: String, _ key: String) -> FlagWarning {
        FlagWarning(path: pointer(to: key, in: collection) + path, code: code)
    }
}

extension EnvironmentSettings {
    /// Nothing that is said of all flags is dropped: metadata of the same name is replaced, and the rest stays.
    fileprivate func takingIn(flagFile file: JSONObject) -> EnvironmentSettings {
        var after = self
        for (name, value) in file.entries where name != "flags" {
            switch name {
            // Those that it holds are cohorts now, and every export has them.
            case "$evaluators": if value.object?.isEmpty ?? true { after.flagSet[name] = .object(JSONObject()) }
            case "metadata":
                var metadata = metadata
                for (key, value) in value.object?.entries ?? [] { metadata[key] = value }
                after.flagSet[name] = .object(metadata)
            default: after.flagSet[name] = value
            }
        }
        return after
    }
}

/// How much of a flag file an import changed.
package struct ImportCounts: Hashable, Sendable {
    package let created: [String]
    package let changed: [String]
    package let unchanged: Int

    /// Counts one kind of a file's content, `flags` or `$evaluators`, from what the audit says of the import.
    package init(of kind: String, in file: JSONValue, audit: AuditDraft?) {
        let member = kind == "cohorts" ? "$evaluators" : kind
        let all = file[member]?.object?.count ?? file[member]?.array?.count ?? 0
        let before = audit?.before[kind]?.object ?? JSONObject()
        let after = audit?.after[kind]?.object ?? JSONObject()
        created = after.keys.filter { before[$0] == nil }
        changed = after.keys.filter { before[$0] != nil }
        unchanged = all - after.count
    }

    /// As the wire shows it.
    package var json: JSONObject {
        [
            "created": .integer(Int64(created.count)), "changed": .integer(Int64(changed.count)),
            "unchanged": .integer(Int64(unchanged)), "changedKeys": .strings(changed),
        ]
    }
}
