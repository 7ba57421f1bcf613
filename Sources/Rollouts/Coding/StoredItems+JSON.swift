import FlagEvaluation

extension StoredFlag {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["key", "definition", "warnings", "bucketing"])
        let warnings = try json.optionalObjects("warnings") { warning, path throws(RolloutError) in
            try FlagWarning(json: warning, at: path)
        }
        self.init(
            key: try json.requiredString("key"), definition: try json.requiredObject("definition"),
            warnings: warnings ?? [], bucketing: try json.optionalWord("bucketing") ?? .v2)
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "key": .string(key), "bucketing": .string(bucketing.rawValue), "definition": .object(definition),
            "warnings": .objects(warnings.map(\.json)),
        ]
    }
}

extension FlagWarning {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["path", "code"], at: path)
        let code = try json.requiredString("code", at: path)
        guard let code = Code(rawValue: code) else { throw .invalidField(path + "/code", "the code of a warning") }
        self.init(path: try json.requiredString("path", at: path), code: code)
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject { ["path": .string(path), "code": .string(code.rawValue)] }
}

extension Cohort {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["key", "rule"])
        guard let rule = json["rule"] else { throw .invalidField("/rule", "a targeting rule") }
        self.init(key: try json.requiredString("key"), rule: rule)
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject { ["key": .string(key), "rule": rule] }
}

extension AccessKey {
    /// Reads what `json` writes, the hash included.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: [
            "id", "kind", "role", "holder", "hash", "createdAt", "expiresAt", "revokedAt",
        ])
        self.init(
            id: try json.requiredString("id"), kind: try json.requiredWord("kind"),
            role: try json.optionalWord("role"), holder: try json.requiredString("holder"),
            hash: try json.requiredString("hash"), createdAt: try json.requiredInteger("createdAt"),
            expiresAt: try json.optionalInteger("expiresAt"), revokedAt: try json.optionalInteger("revokedAt"))
    }

    /// For the store only: with the hash.
    package var json: JSONObject {
        var json = publicJSON
        json["hash"] = .string(hash)
        return json
    }

    /// For the wire and the audit: without the hash.
    package var publicJSON: JSONObject {
        [
            "id": .string(id), "kind": .string(kind.rawValue), "role": .text(role?.rawValue), "holder": .string(holder),
            "createdAt": .integer(createdAt), "expiresAt": .number(expiresAt), "revokedAt": .number(revokedAt),
        ]
    }
}
