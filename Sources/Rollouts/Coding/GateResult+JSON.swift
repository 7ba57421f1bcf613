import FlagEvaluation

extension GateResult {
    private enum Word: String, CaseIterable { case pass, fail, unknown }

    /// Reads what `json` writes, strictly: `unknown_field` and `invalid_field` say where.
    package init(json: JSONObject, at path: String = "") throws(RolloutError) {
        try json.refuseMembers(besides: ["name", "isHard", "verdict", "reason", "remedy"], at: path)
        let word: Word = try json.requiredWord("verdict", at: path)
        let verdict: Verdict =
            switch word {
            case .pass: .pass
            case .fail: .fail(try json.requiredString("reason", at: path))
            case .unknown: .unknown(try json.requiredString("reason", at: path))
            }
        self.init(
            name: try json.requiredString("name", at: path), isHard: try json.requiredBool("isHard", at: path),
            verdict: verdict, remedy: try json.requiredString("remedy", at: path))
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        let (word, reason): (Word, String?) =
            switch verdict {
            case .pass: (.pass, nil)
            case .fail(let reason): (.fail, reason)
            case .unknown(let reason): (.unknown, reason)
            }
        return [
            "name": .string(name), "isHard": .bool(isHard), "verdict": .string(word.rawValue), "reason": .text(reason),
            "remedy": .string(remedy),
        ]
    }
}
