import FlagEvaluation

extension JSONValue {
    /// What the service finds doubtful about a rule or a change, a sentence each.
    var warningLines: [String] {
        list("warnings").map { warning in
            if warning.shown("code") == "contract_changed" {
                return
                    "warning: \(warning.shown("route")) has another contract now, and evidence of the earlier one counts no more."
            }
            let place = warning.shown("path")
            let sentence =
                switch FlagWarning.Code(rawValue: warning.shown("code")) {
                case .operatorMisuse: "an operator can only give null here, or ignores an argument"
                case .unresolvedReference: "$ref names no cohort, so evaluating this gives an error"
                default: warning.shown("code")
                }
            return "warning: " + (place.isEmpty ? "" : "at \(place): ") + sentence + "."
        }
    }
}
