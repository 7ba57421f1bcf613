import FlagEvaluation

extension ParityComparison {
    /// The comparison as programs read it.
    public var json: JSONObject {
        let dimensions = ParityDimension.allCases.map { dimension in
            (dimension.rawValue, JSONValue.string((self.dimensions[dimension] ?? .notCaptured).rawValue))
        }
        return [
            "verdict": .string(verdict.rawValue), "control": .string(control.rawValue),
            "dimensions": .object(JSONObject(dimensions)),
            "findings": .array(findings.map { .object($0.json) }),
            "controlFindings": .array(controlFindings.map { .object($0.json) }),
            "leftOff": .integer(Int64(leftOff)),
            "allowances": .array(allowances.map { .object($0.json) }),
            "old": oldHeader.map { .object($0.json) } ?? .null, "new": newHeader.map { .object($0.json) } ?? .null,
        ]
    }
}

extension ParityComparison.Allowance {
    /// The allowance with what became of it.
    public var json: JSONObject {
        var object = allowed.json
        object["used"] = .integer(Int64(used))
        object["expired"] = .bool(isExpired)
        return object
    }
}
