import FlagEvaluation

/// An evaluation, and how it came about.
struct EvaluationView {
    let answer: JSONValue

    var text: String {
        let error = answer.shown("errorCode")
        let choice = answer["choice"] ?? .null
        let isRoute = answer["kind"] == "route"
        let lines = facts([
            answer.shown("kind"): answer.shown("key"),
            "value": answer["value"].map { $0.isNull ? "none: the caller's default applies" : $0.jsonText.printable }
                ?? "",
            "variant": answer.shown("variant"), "reason": answer.shown("reason"),
            "error": error.isEmpty ? "" : "\(error): \(answer.shown("errorDetails"))",
            "build": !isRoute
                ? ""
                : answer.shown("build") + (answer["build"]?.isNull ?? true ? "not named" : "")
                    + ", has \(answer.list("inBuild").map(\.shown).joined(separator: ", "))",
            "choice": !isRoute
                ? ""
                : choice.isNull
                    ? "none: the build does not have the route"
                    : "\(choice.shown("renderer")) (\(choice.shown("reason")))",
            "bucketing": answer.shown("bucketing"), "revision": answer.shown("revision"),
        ])
        guard let explanation = answer["explanation"], !explanation.isNull else { return lines }
        return lines + "\n\n" + Self.text(of: explanation)
    }

    private static func text(of explanation: JSONValue) -> String {
        var lines = explanation.list("steps").flatMap { Self.lines(of: $0, depth: 0) }
        if lines.isEmpty { lines = ["No rule was evaluated."] }
        if explanation["isCut"] == .bool(true) { lines.append("… and more steps than are shown") }
        if explanation["agrees"] == .bool(false) {
            lines.append("The explanation disagrees with the evaluation above: please report this.")
        }
        return lines.joined(separator: "\n")
    }

    /// A line for the operation, below it those for its operands. As deep as rules nest, which is bounded.
    private static func lines(of step: JSONValue, depth: Int) -> [String] {
        let indent = String(repeating: "  ", count: min(depth, 64))
        let operands = step.list("operands").map { $0.jsonText.printable }.joined(separator: ", ")
        var line = "\(indent)\(step.shown("operation"))"
        if let cohort = step["cohort"] { line += " \(cohort.shown)" }
        line += "(\(operands)) → \((step["value"] ?? .null).jsonText.printable)"
        if let branch = step["branch"] {
            line += branch == "else" ? "  [no condition holds]" : "  [branch \(branch.shown)]"
        }
        let split = step["split"].map { self.split($0, indent + "  ") } ?? []
        return [line] + split + step.list("steps").flatMap { lines(of: $0, depth: depth + 1) }
    }

    private static func split(_ split: JSONValue, _ indent: String) -> [String] {
        let head =
            "\(indent)hash of \((split["hashInput"] ?? .null).jsonText.printable) is \(split.shown("hash")): bucket "
            + "\(split.shown("bucket")) of \(split.shown("total"))"
        return [head]
            + split.list("edges").map { edge in
                let mark = edge["matched"] == .bool(true) ? ">" : " "
                return "\(indent)\(mark) \(edge.shown("from")) to \(edge.shown("to")): \(edge.shown("variant"))"
            }
    }
}
