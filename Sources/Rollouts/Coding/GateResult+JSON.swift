import FlagEvaluation

extension GateResult {
    /// As it is written on the wire. `blocks` says whether the move fails for it.
    package var json: JSONObject {
        let (word, reason): (String, String?) =
            switch verdict {
            case .pass: ("pass", nil)
            case .fail(let reason): (waiver == nil ? "fail" : "waived", reason)
            case .unknown(let reason): (waiver == nil ? "unknown" : "waived", reason)
            }
        var json: JSONObject = [
            "name": .string(name), "isHard": .bool(isHard), "verdict": .string(word), "blocks": .bool(isFailing),
            "reason": .text(reason), "remedy": .string(remedy),
        ]
        if let waiver {
            json["waiver"] = [
                "approver": .string(waiver.approver), "reason": .string(waiver.reason),
                "expiresAt": .integer(waiver.expiresAt),
            ]
        }
        json["passesAt"] = passesAt.map { .integer($0) }
        return json
    }
}
