import FlagEvaluation
import RouteContract

extension RouteRollout {
    /// Reads what `json` writes. `purpose` is the property `reason`: on the wire that word is the change's own reason.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: [
            "key", "flow", "owner", "purpose", "contract", "entryPoints", "requires", "plan", "deletion", "stage",
            "status", "step", "stageSince", "stepSince", "rolledBackFrom", "highestHealthyStep", "flipBacks", "island",
            "rollbackLevel", "exclusions", "flippedBackAt", "stepRevision", "approval", "excludes",
            "forcedMove", "stop", "legacySymbols", "restore", "rehearsal",
        ])
        self.init(
            key: try json.requiredString("key"), flow: try json.requiredString("flow"),
            createdAt: try json.requiredInteger("stageSince"))
        let fields = try RouteFields(members: json)
        owner = fields.owner
        reason = fields.purpose
        contract = fields.contract
        entryPoints = fields.entryPoints ?? []
        requires = fields.requires ?? []
        excludes = fields.excludes ?? []
        legacySymbols = fields.legacySymbols ?? []
        plan = fields.plan
        deletion = fields.deletion
        restore = fields.restore ?? .keepPin
        stage = try json.requiredWord("stage")
        status = try json.requiredWord("status")
        step = try json.requiredCount("step")
        stepSince = try json.requiredInteger("stepSince")
        rolledBackFrom = try json.optionalWord("rolledBackFrom")
        highestHealthyStep = try json.requiredCount("highestHealthyStep")
        flipBacks = try json.requiredCount("flipBacks")
        island = try json.optionalPart("island") { part, path throws(RolloutError) in try Island(json: part, at: path) }
        forced = try json.optionalPart("forcedMove") { part, path throws(RolloutError) in
            try ForcedMove(json: part, at: path)
        }
        stop = try json.optionalPart("stop") { part, path throws(RolloutError) in try RouteStop(json: part, at: path) }
        rollbackLevel = try json.optionalWord("rollbackLevel") ?? .drain
        exclusions =
            try json.optionalObjects("exclusions") { part, path throws(RolloutError) in
                try Exclusion(json: part, at: path)
            } ?? []
        stepRevision = try json.optionalInteger("stepRevision")
        rehearsal = try json.optionalPart("rehearsal") { part, path throws(RolloutError) in
            try Rehearsal(json: part, at: path)
        }
        approval = try json.optionalPart("approval") { part, path throws(RolloutError) in
            try StepApproval(json: part, at: path)
        }
        flippedBackAt = try json.optionalInteger("flippedBackAt")
    }

    /// Every member, null or empty where nothing is set; those that later releases added are left out where they say
    /// nothing.
    package var json: JSONObject {
        var json: JSONObject = [
            "key": .string(key), "flow": .string(flow), "owner": .text(owner), "purpose": .text(reason),
            "contract": .members(contract?.json), "entryPoints": .objects(entryPoints.map(\.json)),
            "requires": .strings(requires), "plan": .members(plan?.json), "deletion": .members(deletion?.json),
            "stage": .string(stage.rawValue), "status": .string(status.rawValue), "step": .integer(Int64(step)),
            "stageSince": .integer(stageSince), "stepSince": .integer(stepSince),
            "rolledBackFrom": .text(rolledBackFrom?.rawValue),
            "highestHealthyStep": .integer(Int64(highestHealthyStep)), "flipBacks": .integer(Int64(flipBacks)),
            "island": .members(island?.json),
        ]
        if restore != .keepPin { json["restore"] = .string(restore.rawValue) }
        if !legacySymbols.isEmpty { json["legacySymbols"] = .strings(legacySymbols) }
        json["forcedMove"] = forced.map { .object($0.json) }
        json["stop"] = stop.map { .object($0.json) }
        if rollbackLevel > .drain { json["rollbackLevel"] = .string(rollbackLevel.rawValue) }
        if !exclusions.isEmpty { json["exclusions"] = .objects(exclusions.map(\.json)) }
        if !excludes.isEmpty { json["excludes"] = .strings(excludes) }
        json["stepRevision"] = stepRevision.map { .integer($0) }
        json["rehearsal"] = rehearsal.map { .object($0.json) }
        json["approval"] = approval.map { .object($0.json) }
        json["flippedBackAt"] = flippedBackAt.map { .integer($0) }
        return json
    }
}

extension RouteFields {
    /// Reads the fields; members named in `others` belong to the caller and are passed over.
    package init(json: JSONObject, besides others: Set<String> = []) throws(RolloutError) {
        try json.refuseMembers(
            besides: others.union([
                "owner", "purpose", "contract", "entryPoints", "requires", "excludes", "plan", "deletion",
                "legacySymbols", "restore",
            ]))
        try self.init(members: json)
    }

    fileprivate init(members json: JSONObject) throws(RolloutError) {
        self.init()
        owner = try json.optionalString("owner")
        purpose = try json.optionalString("purpose")
        contract = try json.optionalPart("contract") { part, path throws(RolloutError) in
            try RegisteredContract(json: part, at: path)
        }
        entryPoints = try json.optionalObjects("entryPoints") { entry, path throws(RolloutError) in
            try EntryPoint(json: entry, at: path)
        }
        requires = try json.optionalStrings("requires")
        excludes = try json.optionalStrings("excludes")
        legacySymbols = try json.optionalStrings("legacySymbols")
        plan = try json.optionalPart("plan") { part, path throws(RolloutError) in
            try RolloutPlan(json: part, at: path)
        }
        deletion = try json.optionalPart("deletion") { part, path throws(RolloutError) in
            try Deletion(json: part, at: path)
        }
        restore = try json.optionalWord("restore")
    }

    /// Only the fields that say something.
    package var json: JSONObject {
        var json = JSONObject()
        json["owner"] = owner.map { .string($0) }
        json["purpose"] = purpose.map { .string($0) }
        json["contract"] = contract.map { .object($0.json) }
        json["entryPoints"] = entryPoints.map { .objects($0.map(\.json)) }
        json["requires"] = requires.map { .strings($0) }
        json["excludes"] = excludes.map { .strings($0) }
        json["legacySymbols"] = legacySymbols.map { .strings($0) }
        json["plan"] = plan.map { .object($0.json) }
        json["deletion"] = deletion.map { .object($0.json) }
        json["restore"] = restore.map { .string($0.rawValue) }
        return json
    }
}

extension JSONObject {
    /// A number that is not negative and fits a count.
    fileprivate func requiredCount(_ name: String) throws(RolloutError) -> Int {
        guard let count = Int(exactly: try requiredInteger(name)), count >= 0 else {
            throw .invalidField("/" + name, "an integer from 0")
        }
        return count
    }
}
