import FlagEvaluation

extension RegisteredContract {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["schemaVersion", "payload", "outcomes"], at: path)
        guard let outcomes = try json.optionalStrings("outcomes", at: path) else {
            throw .invalidField(path + "/outcomes", "an array")
        }
        self.init(
            schemaVersion: try json.requiredInteger("schemaVersion", at: path),
            payload: try json.requiredObject("payload", at: path), outcomes: outcomes)
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        ["schemaVersion": .integer(schemaVersion), "payload": .object(payload), "outcomes": .strings(outcomes)]
    }
}

extension EntryPoint {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["kind", "source"], at: path)
        self.init(
            kind: try json.requiredWord("kind", at: path), source: try json.requiredString("source", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject { ["kind": .string(kind.rawValue), "source": .string(source)] }
}

extension Deletion {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["date", "owner"], at: path)
        self.init(
            date: try json.requiredString("date", at: path), owner: try json.requiredString("owner", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject { ["date": .string(date), "owner": .string(owner)] }
}

extension Island {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["owner", "reason", "reviewDate"], at: path)
        self.init(
            owner: try json.requiredString("owner", at: path), reason: try json.requiredString("reason", at: path),
            reviewDate: try json.requiredString("reviewDate", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        ["owner": .string(owner), "reason": .string(reason), "reviewDate": .string(reviewDate)]
    }
}

extension RolloutPlan {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(
            besides: ["steps", "holdout", "releasesBeforeDisabling", "advance", "legacyShareAtDeletion"], at: path)
        let steps = try json.optionalObjects("steps", at: path) { step, path throws(RolloutError) in
            try Step(json: step, at: path)
        }
        guard let steps else { throw .invalidField(path + "/steps", "an array") }
        guard let holdout = Int(exactly: try json.optionalInteger("holdout", at: path) ?? 0) else {
            throw .invalidField(path + "/holdout", "an integer from 0 to \(RolloutPlan.wholeShare)")
        }
        let legacyShare = try json.optionalInteger("legacyShareAtDeletion", at: path) ?? Int64(Self.usualLegacyShare)
        guard let legacyShare = Int(exactly: legacyShare) else {
            throw .invalidField(path + "/legacyShareAtDeletion", "an integer from 0 to \(RolloutPlan.wholeShare)")
        }
        let usual = RolloutPlan.usualReleasesBeforeDisabling
        let releases = try json.optionalInteger("releasesBeforeDisabling", at: path) ?? Int64(usual)
        guard (1...20).contains(releases) else {
            throw .invalidField(path + "/releasesBeforeDisabling", "an integer from 1 to 20")
        }
        self.init(
            steps: steps, holdout: holdout, releasesBeforeDisabling: Int(releases),
            legacyShareAtDeletion: legacyShare)
        advance = try json.optionalWord("advance", at: path) ?? .manual
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        var json: JSONObject = ["steps": .objects(steps.map(\.json)), "holdout": .integer(Int64(holdout))]
        if legacyShareAtDeletion != Self.usualLegacyShare {
            json["legacyShareAtDeletion"] = .integer(Int64(legacyShareAtDeletion))
        }
        if advance != .manual { json["advance"] = .string(advance.rawValue) }
        if releasesBeforeDisabling != RolloutPlan.usualReleasesBeforeDisabling {
            json["releasesBeforeDisabling"] = .integer(Int64(releasesBeforeDisabling))
        }
        return json
    }
}

extension RolloutPlan.Step {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(
            besides: ["cohort", "share", "holdSeconds", "minimumUnits", "needsApproval", "isMonitored"], at: path)
        guard let share = Int(exactly: try json.requiredInteger("share", at: path)) else {
            throw .invalidField(path + "/share", "an integer from 0 to \(RolloutPlan.wholeShare)")
        }
        self.init(cohort: try json.optionalString("cohort", at: path), share: share)
        holdSeconds = try json.optionalInteger("holdSeconds", at: path) ?? 0
        guard let units = Int(exactly: try json.optionalInteger("minimumUnits", at: path) ?? 0) else {
            throw .invalidField(path + "/minimumUnits", "an integer from 0 to \(RolloutPlan.mostMinimumUnits)")
        }
        minimumUnits = units
        needsApproval = try json.optionalBool("needsApproval", at: path) ?? false
        isMonitored = try json.optionalBool("isMonitored", at: path) ?? false
    }

    /// As it is written on the wire, in the audit and in the store; what asks for nothing is left out.
    package var json: JSONObject {
        var json: JSONObject = ["cohort": .text(cohort), "share": .integer(Int64(share))]
        if holdSeconds != 0 { json["holdSeconds"] = .integer(holdSeconds) }
        if minimumUnits != 0 { json["minimumUnits"] = .integer(Int64(minimumUnits)) }
        if needsApproval { json["needsApproval"] = true }
        if isMonitored { json["isMonitored"] = true }
        return json
    }
}

extension StepApproval {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["step", "by", "at", "hash"], at: path)
        guard let step = Int(exactly: try json.requiredInteger("step", at: path)) else {
            throw .invalidField(path + "/step", "an integer")
        }
        self.init(
            step: step, by: try json.requiredString("by", at: path), at: try json.requiredInteger("at", at: path),
            hash: try json.optionalString("hash", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        var json: JSONObject = ["step": .integer(Int64(step)), "by": .string(by), "at": .integer(at)]
        json["hash"] = hash.map { .string($0) }
        return json
    }
}

extension Rehearsal {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["cohort", "startedAt", "backAt", "endsAt", "by", "isBack"], at: path)
        self.init(
            cohort: try json.requiredString("cohort", at: path),
            startedAt: try json.requiredInteger("startedAt", at: path),
            backAt: try json.requiredInteger("backAt", at: path), endsAt: try json.requiredInteger("endsAt", at: path),
            by: try json.requiredString("by", at: path))
        isBack = try json.optionalBool("isBack", at: path) ?? false
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "cohort": .string(cohort), "startedAt": .integer(startedAt), "backAt": .integer(backAt),
            "endsAt": .integer(endsAt), "by": .string(by), "isBack": .bool(isBack),
        ]
    }
}
