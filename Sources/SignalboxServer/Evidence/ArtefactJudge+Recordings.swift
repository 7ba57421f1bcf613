import FlagEvaluation
import Parity
import Rollouts

/// One comparison of an artefact: `{"legacy", "control", "migrated"}`, each a recording as JSON Lines.
private struct ComparedRun {
    let comparison: ParityComparison
    let header: ParityHeader
}

extension ArtefactJudge {
    /// Comparisons that one artefact may hold.
    private static let mostRuns = 32

    /// `{"kind", "runs": [{"legacy", "control", "migrated"}], "rules"?}`: each run passes after legacy against legacy.
    func parity(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        let runs = try runs(in: object, requiring: [.accessibility])
        var reasons: [String] = []
        let coverage = runs.compactMap { run -> EvidenceFinding.Coverage? in
            let name = "\(run.header.scenario) at \(run.header.contentSize)"
            reasons += run.comparison.faults.map { "\(name): \($0)" }
            guard let size = EvidenceFinding.Coverage.TextSize(contentSize: run.header.contentSize) else {
                reasons.append("\(name): neither the default nor the largest text size")
                return nil
            }
            return EvidenceFinding.Coverage(
                scenario: run.header.scenario, textSize: size, dimensions: run.comparison.passed,
                verdict: run.comparison.evidenceVerdict)
        }
        var finding = EvidenceFinding(verdict(of: runs.map(\.comparison.evidenceVerdict)), reasons)
        finding.coverage = coverage
        return finding
    }

    /// The same with `deviceTier`, judged in the dimension of performance alone.
    func performance(in object: JSONObject) throws(RolloutError) -> EvidenceFinding {
        let tier: EvidenceFinding.DeviceTier = try object.requiredWord("deviceTier")
        let runs = try runs(in: object, requiring: [.performance])
        guard Set(runs.map(\.header.device)).count == 1 else {
            throw .artefact("its recordings are of several classes of device")
        }
        var finding = EvidenceFinding(
            verdict(of: runs.map(\.comparison.performanceVerdict)), runs.flatMap(\.comparison.faults))
        finding.deviceTier = tier
        return finding
    }

    private func verdict(of verdicts: [EvidenceItem.Verdict]) -> EvidenceItem.Verdict {
        if verdicts.contains(.fail) { return .fail }
        return verdicts.contains(.inconclusive) ? .inconclusive : .pass
    }

    private func runs(
        in object: JSONObject, requiring required: Set<ParityDimension>
    ) throws(RolloutError) -> [ComparedRun] {
        try object.refuseMembers(
            besides: kind == .performance ? ["kind", "runs", "rules", "deviceTier"] : ["kind", "runs", "rules"])
        var rules = ParityRules()
        if let given = object.optional("rules") {
            do { rules = try ParityRules(given) } catch { throw .artefact(error.message) }
        }
        let runs = try object.optionalObjects("runs") { part, path throws(RolloutError) in
            try part.refuseMembers(besides: ["legacy", "control", "migrated"], at: path)
            let texts = try ["legacy", "control", "migrated"].map { name throws(RolloutError) in
                Array(try part.requiredString(name, at: path).utf8)
            }
            return try run(
                ParityComparison(
                    old: texts[0], new: texts[2], secondOld: texts[1], rules: rules, requiring: required, today: today),
                at: path)
        }
        guard let runs, (1...Self.mostRuns).contains(runs.count) else {
            throw .artefact("it holds no runs, or more than \(Self.mostRuns)")
        }
        return runs
    }

    /// Refuses recordings that cannot be read, or are of another flow, contract or build.
    private func run(_ comparison: ParityComparison, at path: String) throws(RolloutError) -> ComparedRun {
        guard let header = comparison.oldHeader, comparison.newHeader != nil else {
            throw .artefact("\(path) holds a recording without a readable header")
        }
        let cut = (comparison.findings + comparison.controlFindings).first { $0.difference == .incomplete }
        if let cut { throw .artefact("\(path): \(cut.message)") }
        guard header.contract == contract else {
            throw RolloutError(
                .contractMismatch, "\(path) was recorded against another contract than \"\(route.key)\" has now.",
                details: ["contract": .string(contract), "recorded": .string(String(header.contract.prefix(64)))])
        }
        guard header.flow == route.flow else { throw .artefact("\(path) was recorded of the flow \(header.flow)") }
        guard header.app == build.id.app, header.build == String(build.id.number) else {
            throw .artefact("\(path) was recorded in \(header.app):\(header.build), not in \(build.id.text)")
        }
        return ComparedRun(comparison: comparison, header: header)
    }
}

extension ParityComparison {
    /// What it comes to as evidence: legacy against legacy must have passed.
    fileprivate var evidenceVerdict: EvidenceItem.Verdict {
        guard control == .pass else { return .inconclusive }
        return EvidenceItem.Verdict(rawValue: verdict.rawValue) ?? .inconclusive
    }

    /// What the measurements come to, whatever else differs.
    fileprivate var performanceVerdict: EvidenceItem.Verdict {
        guard control == .pass, dimensions[.recording] == .pass else { return .inconclusive }
        return dimensions[.performance].flatMap { EvidenceItem.Verdict(rawValue: $0.rawValue) } ?? .inconclusive
    }

    /// What was compared and is equal, in the words of the gate.
    fileprivate var passed: Set<EvidenceFinding.Coverage.Dimension> {
        let pairs: [(ParityDimension, EvidenceFinding.Coverage.Dimension)] = [
            (.events, .events), (.accessibility, .accessibility), (.states, .state), (.entries, .entryPoints),
        ]
        return Set(pairs.filter { dimensions[$0.0] == .pass }.map(\.1))
    }

    /// The findings that keep it from passing, for people.
    fileprivate var faults: [String] {
        let own = findings.filter { $0.effect == .fails || $0.effect == .inconclusive }
        let ofControl = controlFindings.filter { $0.effect == .fails || $0.effect == .inconclusive }
        let texts = ofControl.map { "legacy differs from itself: \($0.message)" } + own.map(\.message)
        let allowed = findings.filter { $0.effect == .allowed }.map { "allowed: \($0.message)" }
        return texts + allowed
    }
}

extension EvidenceFinding.Coverage.TextSize {
    /// Of the words that platforms have for text sizes, those that mean the default and the largest.
    fileprivate init?(contentSize: String) {
        switch contentSize {
        case "default", "large", "UICTContentSizeCategoryL": self = .standard
        case "largest", "accessibility5", "accessibilityExtraExtraExtraLarge",
            "UICTContentSizeCategoryAccessibilityXXXL":
            self = .largest
        default: return nil
        }
    }
}
