import FlagEvaluation

extension Waiver {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["route", "gate", "move", "approver", "reason", "grantedAt", "expiresAt"])
        self.init(
            id: ID(
                route: try json.requiredString("route"), gate: try json.requiredString("gate"),
                move: try json.optionalString("move")),
            approver: try json.requiredString("approver"), reason: try json.requiredString("reason"),
            grantedAt: try json.requiredInteger("grantedAt"), expiresAt: try json.requiredInteger("expiresAt"))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "route": .string(id.route), "gate": .string(id.gate), "move": .text(id.move),
            "approver": .string(approver), "reason": .string(reason), "grantedAt": .integer(grantedAt),
            "expiresAt": .integer(expiresAt),
        ]
    }
}

extension ForcedMove {
    /// Reads what `json` writes, strictly.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["move", "gates", "actor", "reason", "at"], at: path)
        self.init(
            move: try json.requiredString("move", at: path), gates: try json.optionalStrings("gates", at: path) ?? [],
            actor: try json.requiredString("actor", at: path), reason: try json.requiredString("reason", at: path),
            at: try json.requiredInteger("at", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "move": .string(move), "gates": .strings(gates), "actor": .string(actor), "reason": .string(reason),
            "at": .integer(at),
        ]
    }
}

extension RouteStop {
    /// Reads what `json` writes, strictly.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["condition", "hash", "at"], at: path)
        self.init(
            condition: try json.requiredString("condition", at: path), hash: try json.requiredString("hash", at: path),
            at: try json.requiredInteger("at", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        ["condition": .string(condition), "hash": .string(hash), "at": .integer(at)]
    }
}
