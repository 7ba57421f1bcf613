import FlagEvaluation

extension StopCondition.Metric {
    /// What a route must be watched by before anybody is exposed.
    static let needed: [StopCondition.Metric] = [.crash, .hang, .completion]
}

extension Configuration {
    /// Before anybody is exposed: conditions for crash, hang and completion are written and frozen.
    func frozenConditionsGate(of route: RouteRollout) -> GateResult {
        let frozen = Set(conditionsInForce(of: route.key).map(\.definition.metric))
        let drafts = Set(conditions(of: route.key).map(\.definition.metric)).subtracting(frozen)
        let missing = StopCondition.Metric.needed.filter { !frozen.contains($0) }
        let texts = missing.map { drafts.contains($0) ? "\($0.rawValue) is not frozen" : "none for \($0.rawValue)" }
        return .gate(
            "stopConditions", isHard: true, fails: texts.isEmpty ? nil : texts.joined(separator: ", "),
            remedy: "Write and freeze stop conditions for crash, hang and completion: signalbox condition put, freeze.")
    }

    /// Before migrated is the default: every condition is `allowed`. What is not judged blocks, and only a waiver helps.
    func judgedConditionsGate(of route: RouteRollout) -> GateResult {
        let conditions = conditionsInForce(of: route.key)
        func keys(_ verdicts: [StopCondition.Judgement.Verdict?]) -> [String] {
            conditions.filter { verdicts.contains($0.judgement?.verdict) }.map(\.id.key)
        }
        let stopped = keys([.stop])
        let open = conditions.compactMap(\.doubt)
        let verdict: GateResult.Verdict =
            if conditions.isEmpty {
                .unknown("no stop condition is frozen")
            } else if !stopped.isEmpty, route.stop != nil {
                .fail("stopped by " + stopped.joined(separator: ", "))
            } else if !open.isEmpty {
                .unknown(open.joined(separator: ", "))
            } else {
                .pass
            }
        return GateResult(
            name: "stopConditions", isHard: false, needsAnswer: true, verdict: verdict,
            remedy:
                "Wait until every condition is allowed; what cannot be judged needs a waiver: signalbox waiver grant.")
    }
}

extension StopCondition {
    /// What the data say where that is not `allowed`; nil where it is.
    var doubt: String? {
        judgement?.verdict == .allowed ? nil : "\(id.key): \(judgement?.verdict.rawValue ?? "not judged")"
    }
}
