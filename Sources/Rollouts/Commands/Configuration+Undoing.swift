import FlagEvaluation

extension Configuration {
    /// Takes back one change as its audit entry tells it, so that an earlier revision can be looked at.
    ///
    /// Gives whether it could: an entry of a kind that is not known here leaves everything as it is. Keys are passed
    /// over, because the audit does not hold their hashes.
    package mutating func undo(subject: String, before: JSONValue, after: JSONValue) -> Bool {
        let parts = subject.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return false }
        // A change that can be taken back in part only is left whole.
        var earlier = self
        guard (try? earlier.takeBack(parts[0], parts[1], before, after)) ?? false else { return false }
        self = earlier
        return true
    }

    private mutating func takeBack(
        _ kind: String, _ key: String, _ before: JSONValue, _ after: JSONValue
    ) throws(RolloutError) -> Bool {
        switch kind {
        case "environment":
            if let items = before["items"]?.object {
                try undoDocument(items)
            } else {
                try undoMove(kind, key, before)
                try undoSettings(before, after)
            }
        case "flow", "route": try undoMove(kind, key, before)
        case "flag": try undoFlag(key, before)
        case "cohort": try undoCohort(key, before)
        case "build":
            guard let id = BuildID(key) else { return false }
            builds[id] =
                before.object == nil ? nil : try before.read { json throws(RolloutError) in try Build(json: json) }
        case "override": try undoOverrides(of: key, before, after)
        case "condition": try undoConditions(of: key, before, after)
        case "waiver": try undoWaivers(before, after)
        case "key": break
        default: return false
        }
        return true
    }

    /// A route, a flow, or the routes of either.
    private mutating func undoMove(_ kind: String, _ key: String, _ before: JSONValue) throws(RolloutError) {
        try restoreOverrides(before)
        if let moved = before["routes"]?.object {
            for (key, route) in moved.entries { routes[key] = try route.readRoute() }
        } else if kind == "route" {
            routes[key] = before.isNull ? nil : try before.readRoute()
        } else if kind == "flow" {
            flows[key] = before.isNull ? nil : try before.read { json throws(RolloutError) in try Flow(json: json) }
        }
    }

    private mutating func undoFlag(_ key: String, _ before: JSONValue) throws(RolloutError) {
        // Enabling and disabling leave nothing but the state.
        if before["definition"] == nil, let state = before["state"] {
            flags[key]?.definition["state"] = state
            return
        }
        flags[key] = before.isNull ? nil : try before.read { json throws(RolloutError) in try StoredFlag(json: json) }
    }

    private mutating func undoCohort(_ key: String, _ before: JSONValue) throws(RolloutError) {
        cohorts[key] = before.isNull ? nil : try before.read { json throws(RolloutError) in try Cohort(json: json) }
    }

    /// The settings by themselves, or an import with all that it changed.
    private mutating func undoSettings(_ before: JSONValue, _ after: JSONValue) throws(RolloutError) {
        if before["unknownBuild"] != nil {
            settings = try before.read { json throws(RolloutError) in try EnvironmentSettings(json: json) }
            return
        }
        for key in after["flags"]?.object?.keys ?? [] { try undoFlag(key, before["flags"]?[key] ?? .null) }
        for key in after["cohorts"]?.object?.keys ?? [] { try undoCohort(key, before["cohorts"]?[key] ?? .null) }
        if let earlier = before["settings"] {
            settings = try earlier.read { json throws(RolloutError) in try EnvironmentSettings(json: json) }
        }
    }

    private mutating func undoOverrides(
        of route: String, _ before: JSONValue, _ after: JSONValue
    ) throws(RolloutError) {
        if let unit = after["unit"]?.string { overrides[Override.ID(route: route, unit: unit)] = nil }
        if before["unit"] != nil {
            let earlier = try before.read { json throws(RolloutError) in try Override(json: json) }
            overrides[earlier.id] = earlier
        }
        try restoreOverrides(before)
    }

    private mutating func undoConditions(
        of route: String, _ before: JSONValue, _ after: JSONValue
    ) throws(RolloutError) {
        let read = { (json: JSONObject) throws(RolloutError) in try StopCondition(json: json) }
        for part in [after] + (after["conditions"]?.array ?? []) where part["version"] != nil {
            conditions[try part.read(read).id] = nil
        }
        for part in [before] + (before["conditions"]?.array ?? []) where part["version"] != nil {
            let condition = try part.read(read)
            conditions[condition.id] = condition
        }
        try undoMove("condition", route, before)
    }

    private mutating func undoWaivers(_ before: JSONValue, _ after: JSONValue) throws(RolloutError) {
        let read = { (json: JSONObject) throws(RolloutError) in try Waiver(json: json) }
        if after["gate"] != nil { waivers[try after.read(read).id] = nil }
        for part in before["waivers"]?.array ?? [] {
            let waiver = try part.read(read)
            waivers[waiver.id] = waiver
        }
    }

    private mutating func restoreOverrides(_ before: JSONValue) throws(RolloutError) {
        for cleared in before["overrides"]?.array ?? [] {
            let override = try cleared.read { json throws(RolloutError) in try Override(json: json) }
            overrides[override.id] = override
        }
    }
}

extension JSONValue {
    fileprivate func read<Item>(
        _ make: (JSONObject) throws(RolloutError) -> Item
    ) throws(RolloutError) -> Item {
        guard let object else { throw .invalidField("", "an object") }
        return try make(object)
    }

    /// A route as the audit holds it, with what was noted beside its state left out.
    fileprivate func readRoute() throws(RolloutError) -> RouteRollout {
        try read { json throws(RolloutError) in
            var json = json
            json["overrides"] = nil
            return try RouteRollout(json: json)
        }
    }
}
