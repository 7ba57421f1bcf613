import FlagEvaluation

/// One thing that a comparison noticed.
public struct ParityFinding: Hashable, Sendable {
    /// What it does to the verdict.
    public enum Effect: String, CaseIterable, Hashable, Sendable {
        case fails
        case inconclusive
        /// It would fail, but for an allowance.
        case allowed
        /// Nothing; worth knowing.
        case noted
    }

    /// In what the two are not the same. Allowances name it.
    public enum Difference: String, CaseIterable, Hashable, Sendable {
        /// Of the recording: cut off, damaged, of other conditions, or not captured.
        case incomplete, conditions, notCaptured
        /// The old one has it and the new one does not, or the other way round.
        case missing, extra
        /// It happens another number of times.
        case count
        case order
        /// A member has another value; or another JSON type, or is there in one only.
        case value, type
        case label, hint, traits
        case lostAction, gainedAction
        /// It is the same, and cannot be read.
        case unreadable
        case truncated
        case slower, faster
        /// There are too few samples, or they are in another unit.
        case samples
    }

    /// What it is a difference in.
    public let dimension: ParityDimension
    /// Of which kind it is.
    public let difference: Difference
    /// What it is about: an event's name, `name/prop`, an element's identifier, a metric.
    public let subject: String
    /// What it does to the verdict.
    public var effect: Effect
    /// For people; never parsed.
    public let message: String
    /// The line of the old recording, counted from 1.
    public let oldLine: Int?
    /// The line of the new recording; of a control's finding, of the second old one.
    public let newLine: Int?
    /// The allowance that covers it, or did until it expired.
    public var allowance: ParityRules.Allowed?

    /// The finding as programs read it.
    public var json: JSONObject {
        var object: JSONObject = [
            "dimension": .string(dimension.rawValue), "difference": .string(difference.rawValue),
            "subject": .string(subject), "effect": .string(effect.rawValue), "message": .string(message),
            "oldLine": oldLine.map { .integer(Int64($0)) } ?? .null,
            "newLine": newLine.map { .integer(Int64($0)) } ?? .null,
        ]
        if let allowance { object["allowance"] = .object(allowance.json) }
        return object
    }
}

/// Collects what a comparison notices: a bounded list, and what all of it means for each dimension.
struct Findings {
    private(set) var listed: [ParityFinding] = []
    /// How many there were beyond the list.
    private(set) var leftOff = 0
    private(set) var verdicts: [ParityDimension: ParityVerdict] = [:]
    /// How often each allowance was used, by its place in the rules.
    private(set) var used: [Int: Int] = [:]
    private let allowed: [ParityRules.Allowed]
    /// The places of the allowances, by subject.
    private let places: [String: [Int]]
    private let today: String

    init(allowed: [ParityRules.Allowed], today: String) {
        self.allowed = allowed
        places = Dictionary(grouping: allowed.indices) { allowed[$0].subject }
        self.today = today
    }

    /// Says that the dimension was compared, whatever is noticed.
    mutating func compared(_ dimension: ParityDimension) {
        if verdicts[dimension] == nil { verdicts[dimension] = .pass }
    }

    mutating func add(
        _ dimension: ParityDimension, _ difference: ParityFinding.Difference, _ subject: String, _ message: String,
        old: Int? = nil, new: Int? = nil, effect: ParityFinding.Effect = .fails
    ) {
        compared(dimension)
        var finding = ParityFinding(
            dimension: dimension, difference: difference, subject: subject.shortened, effect: effect,
            message: message.shortened, oldLine: old, newLine: new)
        if effect == .fails, let index = allowance(for: finding) {
            finding.allowance = allowed[index]
            if allowed[index].expires >= today {
                finding.effect = .allowed
                used[index, default: 0] += 1
            }
        }
        switch (finding.effect, verdicts[dimension]) {
        case (.fails, _): verdicts[dimension] = .fail
        case (.inconclusive, .pass): verdicts[dimension] = .inconclusive
        default: break
        }
        if listed.count < ParityLimits.findings { listed.append(finding) } else { leftOff += 1 }
    }

    /// The allowance that covers it: rather one that still counts than one that has expired.
    private func allowance(for finding: ParityFinding) -> Int? {
        let fitting = (places[finding.subject] ?? []).filter {
            allowed[$0].dimension == finding.dimension && allowed[$0].difference == finding.difference
        }
        return fitting.first { allowed[$0].expires >= today } ?? fitting.first
    }

    /// What the dimensions come to together. A failure is one whatever else is unknown.
    var verdict: ParityVerdict {
        if verdicts.values.contains(.fail) { return .fail }
        return verdicts.values.contains(.inconclusive) ? .inconclusive : .pass
    }
}
