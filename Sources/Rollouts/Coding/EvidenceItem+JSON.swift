import FlagEvaluation

extension EvidenceItem {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: [
            "id", "kind", "route", "contract", "build", "producer", "artefact", "size", "finding", "createdAt",
            "expiresAt",
        ])
        guard let build = BuildID(try json.requiredString("build")) else {
            throw .invalidField("/build", "an app's key, a colon and a number")
        }
        self.init(
            id: try json.requiredString("id"), kind: try json.requiredWord("kind"),
            route: try json.requiredString("route"), contract: try json.requiredString("contract"), build: build,
            producer: try json.requiredString("producer"), artefact: try json.requiredString("artefact"),
            size: Int(clamping: try json.requiredInteger("size")),
            finding: try EvidenceFinding(json: try json.requiredObject("finding"), at: "/finding"),
            createdAt: try json.requiredInteger("createdAt"), expiresAt: try json.requiredInteger("expiresAt"))
    }

    /// As it is written in the audit and in the store.
    package var json: JSONObject {
        [
            "id": .string(id), "kind": .string(kind.rawValue), "route": .string(route), "contract": .string(contract),
            "build": .string(build.text), "producer": .string(producer), "artefact": .string(artefact),
            "size": .integer(Int64(size)), "finding": .object(finding.json), "createdAt": .integer(createdAt),
            "expiresAt": .integer(expiresAt),
        ]
    }
}

extension EvidenceFinding {
    /// Reads what `json` writes, strictly.
    package init(json: JSONObject, at path: String) throws(RolloutError) {
        try json.refuseMembers(
            besides: ["verdict", "reasons", "coverage", "deviceTier", "releases", "commit", "entryPoints"], at: path)
        self.init(
            try json.requiredWord("verdict", at: path), try json.optionalStrings("reasons", at: path) ?? [])
        coverage =
            try json.optionalObjects("coverage", at: path) { part, path throws(RolloutError) in
                try Coverage(json: part, at: path)
            } ?? []
        deviceTier = try json.optionalWord("deviceTier", at: path)
        releases = try json.optionalStrings("releases", at: path) ?? []
        commit = try json.optionalString("commit", at: path)
        entryPoints =
            try json.optionalObjects("entryPoints", at: path) { part, path throws(RolloutError) in
                try EntryPoint(json: part, at: path)
            } ?? []
    }

    /// What a kind does not have is left out.
    package var json: JSONObject {
        var json: JSONObject = ["verdict": .string(verdict.rawValue), "reasons": .strings(reasons)]
        if !coverage.isEmpty { json["coverage"] = .objects(coverage.map(\.json)) }
        json["deviceTier"] = deviceTier.map { .string($0.rawValue) }
        if !releases.isEmpty { json["releases"] = .strings(releases) }
        json["commit"] = commit.map { .string($0) }
        if !entryPoints.isEmpty { json["entryPoints"] = .objects(entryPoints.map(\.json)) }
        return json
    }
}

extension EvidenceFinding.Coverage {
    fileprivate init(json: JSONObject, at path: String) throws(RolloutError) {
        try json.refuseMembers(besides: ["scenario", "textSize", "dimensions", "verdict"], at: path)
        let names = try json.optionalStrings("dimensions", at: path) ?? []
        let known = Set(names.compactMap(Dimension.init(rawValue:)))
        guard known.count == names.count else { throw .invalidField(path + "/dimensions", "dimensions, each once") }
        self.init(
            scenario: try json.requiredString("scenario", at: path),
            textSize: try json.requiredWord("textSize", at: path), dimensions: known,
            verdict: try json.requiredWord("verdict", at: path))
    }

    fileprivate var json: JSONObject {
        [
            "scenario": .string(scenario), "textSize": .string(textSize.rawValue),
            "dimensions": .strings(dimensions.map(\.rawValue).sorted()), "verdict": .string(verdict.rawValue),
        ]
    }
}
