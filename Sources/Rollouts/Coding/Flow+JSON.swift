import FlagEvaluation

extension Flow {
    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject) throws(RolloutError) {
        try json.refuseMembers(besides: ["id", "key", "owner", "journeyLifetimeSeconds"])
        self.init(
            id: try json.requiredString("id"), key: try json.requiredString("key"),
            owner: try json.requiredString("owner"),
            journeyLifetimeSeconds: try json.requiredInteger("journeyLifetimeSeconds"))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        [
            "id": .string(id), "key": .string(key), "owner": .string(owner),
            "journeyLifetimeSeconds": .integer(journeyLifetimeSeconds),
        ]
    }
}
