import FlagEvaluation
import RouteContract

/// A recording of the legacy entry against one of the migrated entry.
///
/// Both the command line and the service judge with this, from the files alone: what a client says that it found is
/// worth nothing. It never fails to come to an end: what cannot be read is inconclusive.
public struct ParityComparison: Hashable, Sendable {
    /// What legacy against legacy came to.
    public enum Control: String, CaseIterable, Hashable, Sendable {
        case pass, fail, inconclusive
        /// No second recording of legacy was given.
        case absent
    }

    /// What holds of one dimension.
    public enum Standing: String, CaseIterable, Hashable, Sendable {
        case pass, fail, inconclusive
        /// Neither recording says anything of it.
        case notCaptured
    }

    /// All in all. Of two recordings that cannot be compared, and of an unsteady scenario, it is inconclusive whatever
    /// was found; otherwise a failure is one, whatever else is unknown.
    public let verdict: ParityVerdict
    /// What the two recordings of legacy came to.
    public let control: Control
    /// What holds of each dimension.
    public let dimensions: [ParityDimension: Standing]
    /// What was noticed, in the order of the dimensions; at most ``ParityLimits/findings``.
    public let findings: [ParityFinding]
    /// What was noticed between the two recordings of legacy.
    public let controlFindings: [ParityFinding]
    /// How many findings there are beyond those listed.
    public let leftOff: Int
    /// The header of the old recording, when it could be read.
    public let oldHeader: ParityHeader?
    /// The header of the new recording, when it could be read.
    public let newHeader: ParityHeader?
    /// Every allowance of the rules.
    public let allowances: [Allowance]

    /// An allowance, and what became of it here.
    public struct Allowance: Hashable, Sendable {
        /// As it stands in the rules.
        public let allowed: ParityRules.Allowed
        /// How many findings it covers.
        public let used: Int
        /// Whether its last day is over.
        public let isExpired: Bool
    }

    /// Compares.
    ///
    /// - Parameters:
    ///   - old: the recording of the legacy entry, as JSON Lines.
    ///   - new: the recording of the migrated entry.
    ///   - secondOld: another recording of the legacy entry: it must not differ from `old`, or the scenario is not
    ///     steady enough to say anything.
    ///   - rules: what may differ.
    ///   - required: what must have been recorded, or the verdict is inconclusive.
    ///   - today: `YYYY-MM-DD`, for the expiry of allowances.
    public init(
        old: [UInt8], new: [UInt8], secondOld: [UInt8]? = nil, rules: ParityRules = ParityRules(),
        requiring required: Set<ParityDimension> = [.accessibility], today: String
    ) {
        let (before, after) = (Recording(old), Recording(new))
        var findings = Findings(allowed: rules.allowed, today: today)
        Self.checkWhole(before, "old", &findings)
        Self.checkWhole(after, "new", &findings)
        Self.checkConditions(before.header, after.header, renderer: .migrated, &findings)
        let isComparable = findings.verdict == .pass
        if isComparable {
            ComparedRecordings(old: before, new: after, rules: rules, isControl: false).compare(into: &findings)
            for dimension in ParityDimension.allCases
            where required.contains(dimension) && findings.verdicts[dimension] == nil {
                findings.add(
                    dimension, .notCaptured, dimension.rawValue, "\(dimension.rawValue) is required, and not recorded",
                    effect: .inconclusive)
            }
        }

        // Allowances are for the new one: between two recordings of one renderer nothing may differ.
        var controls = Findings(allowed: [], today: today)
        if let secondOld {
            let second = Recording(secondOld)
            Self.checkWhole(before, "old", &controls)
            Self.checkWhole(second, "second old", &controls)
            Self.checkConditions(before.header, second.header, renderer: .legacy, &controls)
            if controls.verdict == .pass {
                ComparedRecordings(old: before, new: second, rules: rules, isControl: true).compare(into: &controls)
            }
            control = Control(rawValue: controls.verdict.rawValue) ?? .inconclusive
        } else {
            control = .absent
        }

        verdict = control == .absent || control == .pass ? findings.verdict : .inconclusive
        dimensions = Dictionary(
            uniqueKeysWithValues: ParityDimension.allCases.map { dimension in
                let standing = findings.verdicts[dimension].flatMap { Standing(rawValue: $0.rawValue) }
                return (dimension, standing ?? .notCaptured)
            })
        self.findings = findings.listed
        controlFindings = controls.listed
        leftOff = findings.leftOff + controls.leftOff
        (oldHeader, newHeader) = (before.header, after.header)
        allowances = rules.allowed.enumerated().map { index, allowed in
            Allowance(allowed: allowed, used: findings.used[index] ?? 0, isExpired: allowed.expires < today)
        }
    }

    private static func checkWhole(_ recording: Recording, _ name: String, _ findings: inout Findings) {
        findings.compared(.recording)
        for (reason, line) in recording.faults {
            let isOld = name == "old"
            findings.add(
                .recording, .incomplete, name,
                line.map { "line \($0) of the \(name) recording \(reason)" } ?? "the \(name) recording \(reason)",
                old: isOld ? line : nil, new: isOld ? nil : line, effect: .inconclusive)
        }
    }

    /// Two recordings can be compared when they differ in the renderer alone; a control, in the run alone.
    private static func checkConditions(
        _ old: ParityHeader?, _ new: ParityHeader?, renderer: Renderer, _ findings: inout Findings
    ) {
        guard let old, let new else { return }
        func add(_ subject: String, _ message: String) {
            findings.add(.recording, .conditions, subject, message, old: 1, new: 1, effect: .inconclusive)
        }
        for member in old.unequalConditions(to: new) {
            let values = [old, new].map { ($0.json[member] ?? .null).brief }
            add(member, "\(member) is \(values[0]) in the one and \(values[1]) in the other")
        }
        if old.renderer != .legacy { add("renderer", "the old recording is one of \(old.renderer.rawValue)") }
        if new.renderer != renderer { add("renderer", "the other recording is one of \(new.renderer.rawValue)") }
        if renderer == .legacy, old.run == new.run {
            add("run", "the control is the same run as what it controls")
        }
    }
}
