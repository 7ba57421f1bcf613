import FlagEvaluation
import Rollouts

/// A route as the service describes it, in words.
struct RouteView {
    let route: JSONValue

    var key: String { route.shown("key") }
    var stage: String { route.shown("stage") }
    var status: String { route.shown("status") }
    var steps: [JSONValue] { route["plan"]?.list("steps") ?? [] }
    var step: Int64 { route.number("step") }

    /// `partialRollout, step 1 of 5: 50% of internal`, with what the status adds.
    var position: String {
        var text = stage
        if stage == "partialRollout" { text += ", \(ladder)" }
        switch status {
        case "active": return text
        case "rolledBack":
            let origin = route.shown("rolledBackFrom")
            let level = route.shown("rollbackLevel")
            return text + ", rolled back" + (origin.isEmpty || origin == stage ? "" : " from \(origin)")
                + (level.isEmpty ? "" : " at level \(level)") + ": new journeys get legacy"
        case "island": return text + ", an island: it stays legacy"
        default: return text + ", \(status)"
        }
    }

    /// The scoped rollbacks, a line each; empty where there are none.
    func exclusionLines(at now: Timestamp) -> [String] {
        let exclusions = route.list("exclusions")
        let lines = exclusions.map { exclusion -> String in
            let scope = exclusion["scope"] ?? .null
            let parts = [("app", "app"), ("builds", "builds"), ("os", "OS")].compactMap { key, word in
                scope[key] == nil ? nil : "\(word) \(scope.shown(key))"
            }
            let age = Timestamp(milliseconds: exclusion.number("since")).age(at: now)
            return "  \(exclusion.shown("id"))  \(parts.joined(separator: ", ")), level \(exclusion.shown("level")), "
                + "\(age) ago by \(exclusion.shown("by")): \(exclusion.shown("reason"))"
        }
        return lines.isEmpty ? [] : ["rolled back in scopes"] + lines
    }

    /// `step 1 of 5`, with what the step gives.
    private var ladder: String {
        let place = "step \(step) of \(steps.count)"
        return stepText(at: step).map { "\(place): \($0)" } ?? place
    }

    /// Who gets migrated at a step, with what earlier steps gave: `5% of everybody, and all of internal`. Nil when there
    /// is no such step, counted from 1.
    func stepText(at number: Int64) -> String? {
        guard number >= 1, number <= steps.count else { return nil }
        var exposure = Exposure()
        for step in steps.prefix(Int(number)) {
            let share = Int(clamping: step.number("share"))
            exposure.add(RolloutPlan.Step(cohort: step["cohort"]?.string, share: share))
        }
        let everybody =
            exposure.everybody == RolloutPlan.wholeShare ? "everybody" : part(exposure.everybody, "everybody")
        let cohorts = exposure.branches.map { part($0.share, $0.cohort.printable) }
        guard exposure.everybody > 0 || cohorts.isEmpty else { return cohorts.joined(separator: ", and ") }
        return ([everybody] + cohorts).joined(separator: ", and ")
    }

    private func part(_ share: Int, _ whom: String) -> String {
        share == RolloutPlan.wholeShare ? "all of \(whom)" : "\(RolloutPlan.percent(of: share)) of \(whom)"
    }

    /// The ladder, a line a step with the current one marked; empty without a plan.
    var ladderLines: [String] {
        let lines = steps.indices.compactMap { index -> String? in
            let number = Int64(index + 1)
            let mark = stage == "partialRollout" && step == number ? ">" : " "
            return stepText(at: number).map { "\(mark) \(number)  \($0)\(conditions(ofStep: steps[index]))" }
        }
        let advance = route["plan"]?["advance"]?.string == "automatic" ? ", climbed by the service" : ""
        return lines.isEmpty ? [] : ["ladder\(holdoutText)\(advance)"] + lines
    }

    /// `; 24 h, 500 units, monitored`, or nothing.
    private func conditions(ofStep step: JSONValue) -> String {
        let hold = step.number("holdSeconds")
        let units = step.number("minimumUnits")
        let parts = [
            hold > 0 ? Configuration.span(seconds: hold) : nil, units > 0 ? "\(units) units" : nil,
            step["needsApproval"] == .bool(true) ? "with approval" : nil,
            step["isMonitored"] == .bool(true) ? "monitored" : nil,
        ].compactMap { $0 }
        return parts.isEmpty ? "" : "; " + parts.listed
    }

    /// What is next and what holds it: `step 3 (5% of everybody), held by heldLongEnough: 2 h of 24 h; by 2026-…`. Nil at
    /// the end, and where `next` was not asked for.
    var nextText: String? {
        guard let next = route["next"], !next.isNull, status == "active" else { return nil }
        let move = next.shown("move")
        let number = move.hasPrefix("step ") ? Int64(move.dropFirst(5)) : nil
        let gives = number.flatMap { stepText(at: $0) }.map { " (\($0))" } ?? ""
        let failing = next.list("gates").filter { $0.shown("verdict") == "fail" && $0["waiver"]?.isNull ?? true }
        guard !failing.isEmpty else {
            let automatic = number != nil && route["plan"]?["advance"]?.string == "automatic"
            return "\(move)\(gives), \(automatic ? "taken by the service" : "which may be taken now")"
        }
        let times = failing.map { $0["passesAt"]?.integer }
        let last = times.allSatisfy { $0 != nil } ? times.compactMap { $0 }.max() : nil
        let when = last.map { "; passes \(Timestamp(milliseconds: $0).text)" } ?? ""
        let first = failing.prefix(2).map { "\($0.shown("name")): \($0.shown("reason"))" }.joined(separator: "; ")
        let more = failing.count > 2 ? " and \(failing.count - 2) more" : ""
        return "\(move)\(gives), held by \(first)\(more)\(when)"
    }

    /// `, with 2% held out`, or nothing.
    var holdoutText: String {
        guard let holdout = route["plan"]?.number("holdout"), holdout > 0 else { return "" }
        return ", with \(Share(units: Int(clamping: holdout)).text) held out"
    }

    /// A box that says which gates were passed by force, and by whom; empty when none was.
    var forcedBox: [String] {
        guard let forced = route["forcedMove"], !forced.isNull else { return [] }
        let texts = [
            "FORCED: \(key) to \(forced.shown("move")) by \(forced.shown("actor")), \(forced.time("at"))",
            "passed by: \(forced.list("gates").map(\.shown).listed)", "because: \(forced.shown("reason"))",
        ]
        let width = texts.map(\.count).max() ?? 0
        let edge = "+" + String(repeating: "-", count: width + 2) + "+"
        let lines = texts.map { "| " + $0 + String(repeating: " ", count: width - $0.count) + " |" }
        return [edge] + lines + [edge]
    }

    /// For a column: `2 of 5`, or nothing outside the ladder.
    var shortStep: String { stage == "partialRollout" ? "\(step) of \(steps.count)" : "" }

    /// What comes after the current step; nil when the ladder does not go on.
    var following: String? {
        guard stage == "partialRollout", status == "active", step < steps.count else { return nil }
        return stepText(at: step + 1)
    }
}

extension Service {
    /// Routes as a table.
    func table(ofRoutes routes: [JSONValue], at now: Timestamp = .now) -> String {
        var table = Table("ROUTE", "FLOW", "STAGE", "STEP", "STATUS", "SINCE", "OWNER")
        for route in routes {
            let view = RouteView(route: route)
            let since = route["stageSince"]?.integer.map { Timestamp(milliseconds: $0).age(at: now) } ?? ""
            table.add(
                view.key, route.shown("flow"), view.stage, view.shortStep, view.status, since, route.shown("owner"))
        }
        return tell(table, ifEmpty: "There are no routes.")
    }

    /// `1 route`, `2 routes`
    func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Where a change left the environment: `Revision 17.`, or that nothing changed.
    func revision(of answer: JSONValue) -> String {
        answer["changed"] == .bool(false)
            ? "Nothing changed: it was so already (revision \(answer.shown("revision")))."
            : "Revision \(answer.shown("revision"))."
    }
}
