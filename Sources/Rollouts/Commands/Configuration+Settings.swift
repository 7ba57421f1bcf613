import FlagEvaluation

extension Configuration {
    func editingEnvironment(unknownBuild: EnvironmentSettings.UnknownBuild?) throws(RolloutError) -> Change? {
        var after = settings
        after.unknownBuild = unknownBuild ?? settings.unknownBuild
        guard after != settings else { return nil }
        return Change(
            "environment.edit", "environment/\(environment)", before: settings.json, after: after.json,
            row: .settings(after))
    }
}
