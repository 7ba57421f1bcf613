import FlagEvaluation
import RouteContract

extension Override {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["route", "unit", "renderer", "owner", "reason", "expiresAt"])
        self.init(
            id: ID(route: try json.requiredString("route"), unit: try json.requiredString("unit")),
            renderer: try json.requiredWord("renderer"), owner: try json.requiredString("owner"),
            reason: try json.requiredString("reason"), expiresAt: try json.requiredInteger("expiresAt"))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "route": .string(id.route), "unit": .string(id.unit), "renderer": .string(renderer.rawValue),
            "owner": .string(owner), "reason": .string(reason), "expiresAt": .integer(expiresAt),
        ]
    }
}

extension EnvironmentSettings {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["unknownBuild", "flagSet"])
        self.init(
            unknownBuild: try json.requiredWord("unknownBuild"), flagSet: try json.requiredObject("flagSet"))
    }

    /// As it is written in the audit and in the store.
    package var json: JSONObject {
        ["unknownBuild": .string(unknownBuild.rawValue), "flagSet": .object(flagSet)]
    }
}
