import FlagEvaluation

extension RollbackScope {
    /// The members that `init(members:)` reads.
    package static let members: Set<String> = ["app", "builds", "os"]

    /// Reads `app`, `builds` and `os` among other members; `invalid_scope` says which cannot be read.
    package init(members json: JSONObject, at path: String = "") throws(RolloutError) {
        self.init(app: try json.optionalString("app", at: path))
        if let app, !Key.isValid(app) { throw .invalidScope(path + "/app", "the key of an app") }
        if let text = try json.optionalString("builds", at: path) {
            builds = try BuildRange(text).orThrow(
                .invalidScope(path + "/builds", "two versions or two builds of one app, the lower first: A..B"))
        }
        if let text = try json.optionalString("os", at: path) {
            os = try OSRange(text).orThrow(.invalidScope(path + "/os", "up to four comparisons, as in '>=17 <18'"))
        }
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        var json = JSONObject()
        json["app"] = app.map { .string($0) }
        json["builds"] = builds.map { .string($0.text) }
        json["os"] = os.map { .string($0.text) }
        return json
    }
}

extension Exclusion {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["id", "scope", "level", "reason", "since", "by"], at: path)
        let scope = try json.requiredObject("scope", at: path)
        try scope.refuseMembers(besides: RollbackScope.members, at: path + "/scope")
        self.init(
            id: try json.requiredString("id", at: path),
            scope: try RollbackScope(members: scope, at: path + "/scope"),
            level: try json.requiredWord("level", at: path), reason: try json.requiredString("reason", at: path),
            since: try json.requiredInteger("since", at: path), by: try json.requiredString("by", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "id": .string(id), "scope": .object(scope.json), "level": .string(level.rawValue),
            "reason": .string(reason), "since": .integer(since), "by": .string(by),
        ]
    }
}

extension RolloutError {
    /// `invalid_scope`: what stands at that JSON Pointer does not say which journeys are meant.
    fileprivate static func invalidScope(_ path: String, _ expected: String) -> RolloutError {
        RolloutError(.invalidScope, "\(path) must be \(expected).", details: ["path": .string(path)])
    }
}
