import FlagEvaluation

extension JSONValue {
    /// What the service finds doubtful about a rule, a line each.
    var warningLines: [String] {
        list("warnings").map { warning in
            let place = warning.shown("path")
            return "warning: \(warning.shown("code"))" + (place.isEmpty ? "" : " at \(place)")
        }
    }
}
