import FlagEvaluation

extension GateResult {
    /// As it is written on the wire.
    package var json: JSONObject {
        let (word, reason): (String, String?) =
            switch verdict {
            case .pass: ("pass", nil)
            case .fail(let reason): ("fail", reason)
            case .unknown(let reason): ("unknown", reason)
            }
        return [
            "name": .string(name), "isHard": .bool(isHard), "verdict": .string(word), "reason": .text(reason),
            "remedy": .string(remedy),
        ]
    }
}
