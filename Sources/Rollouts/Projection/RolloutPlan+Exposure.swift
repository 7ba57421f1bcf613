import FlagEvaluation

/// Who gets migrated at a step of a ladder: the union of what all steps up to it give.
///
/// All shares are measured on one hash, so the larger of two shares contains the smaller.
package struct Exposure: Hashable {
    /// The largest share that each named cohort was given.
    package private(set) var cohorts: [String: Int] = [:]
    /// The largest share that everybody was given.
    package private(set) var everybody = 0

    package init() {}

    package mutating func add(_ step: RolloutPlan.Step) {
        let share = min(max(step.share, 0), RolloutPlan.wholeShare)
        if let cohort = step.cohort {
            cohorts[cohort] = max(cohorts[cohort] ?? 0, share)
        } else {
            everybody = max(everybody, share)
        }
    }

    /// The share of a cohort's units, or of all units for nil, that this exposure surely gives migrated.
    func share(of cohort: String?) -> Int {
        max(everybody, cohort.flatMap { cohorts[$0] } ?? 0)
    }

    /// Whether every unit that `other` gives migrated gets it here too, whoever is in the cohorts.
    func covers(_ other: Exposure) -> Bool {
        everybody >= other.everybody && other.cohorts.allSatisfy { share(of: $0.key) >= $0.value }
    }

    /// The cohorts that get more than everybody gets, the largest share first, so that the first cohort a unit is in
    /// is the one that gives it most.
    package var branches: [(cohort: String, share: Int)] {
        cohorts.filter { $0.value > everybody }.map { (cohort: $0.key, share: $0.value) }
            .sorted { ($1.share, $0.cohort) < ($0.share, $1.cohort) }
    }
}

extension RolloutPlan {
    /// All units: shares are parts of this.
    package static let wholeShare = 100_000
    /// The largest share of legacy that deleting it may leave without a screen, of 100 000.
    package static let mostLegacyAtDeletion = 5_000
    /// The most steps that a plan may have.
    package static let mostSteps = 50
    /// The longest hold of a step.
    package static let longestHoldSeconds: Int64 = 90 * 86_400
    /// The most units that a step may wait for: each is remembered until there are enough.
    package static let mostMinimumUnits = 100_000

    /// A share of 100 000 as people write it: `5%`, `0.5%`, to three places.
    package static func percent(of share: Int) -> String {
        let (whole, rest) = share.quotientAndRemainder(dividingBy: wholeShare / 100)
        guard rest != 0 else { return "\(whole)%" }
        var fraction = "\(1_000 + abs(rest))".dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(whole).\(fraction)%"
    }

    /// Who gets migrated at that step, counted from 1; nobody at 0.
    func exposure(atStep step: Int) -> Exposure {
        var exposure = Exposure()
        for step in steps.prefix(max(step, 0)) { exposure.add(step) }
        return exposure
    }

    /// Whether a step, by its index, may be entered on less than was asked before for as many units: of every step of the
    /// other plan that it comes in place of.
    func asksForLess(atIndex index: Int, than other: RolloutPlan) -> Bool {
        let exposure = exposure(atStep: index + 1)
        let covering = other.steps.indices.first { other.exposure(atStep: $0 + 1).covers(exposure) }
        let last = covering ?? other.steps.count - 1
        if index <= last { return (index...last).contains { steps[index].isLooser(than: other.steps[$0]) } }
        // Steps were put in before it: it comes in place of the first that gave as much, and of the last that gave no more.
        // One that gives more than all of them is new.
        guard let covering else { return false }
        let replaced = other.steps.indices.last { exposure.covers(other.exposure(atStep: $0 + 1)) }
        return [covering, min(index, replaced ?? covering)].contains { steps[index].isLooser(than: other.steps[$0]) }
    }

    /// Whether no step, by its number, gives migrated to more than the other plan's; what comes after its last, to no more
    /// than that.
    func givesNoMore(than other: RolloutPlan) -> Bool {
        steps.indices.allSatisfy { other.exposure(atStep: $0 + 1).covers(exposure(atStep: $0 + 1)) }
    }

    /// Refuses a ladder that is empty or too long, has a share that is none, or gives less as it goes up.
    func check() throws(RolloutError) {
        guard (1...Self.mostSteps).contains(steps.count) else {
            throw RolloutError(.invalidPlan, "A plan has 1 to \(Self.mostSteps) steps, not \(steps.count).")
        }
        guard (0...Self.wholeShare).contains(holdout) else {
            throw RolloutError(
                .invalidShare, "A holdout is an integer from 0 to \(Self.wholeShare), not \(holdout).",
                details: ["path": "/plan/holdout"])
        }
        guard (0...Self.mostLegacyAtDeletion).contains(legacyShareAtDeletion) else {
            throw RolloutError(
                .invalidShare,
                """
                The share of legacy at deletion is an integer from 0 to \(Self.mostLegacyAtDeletion), not \
                \(legacyShareAtDeletion).
                """,
                details: ["path": "/plan/legacyShareAtDeletion"])
        }
        var before = Exposure()
        for (index, step) in steps.enumerated() {
            let details: JSONValue = ["path": .string("/plan/steps/\(index)/share")]
            guard (0...Self.wholeShare).contains(step.share) else {
                throw RolloutError(
                    .invalidShare, "A share is an integer from 0 to \(Self.wholeShare), not \(step.share).",
                    details: details)
            }
            guard step.share >= before.share(of: step.cohort) else {
                throw RolloutError(
                    .planShrinks,
                    """
                    Step \(index + 1) gives \(Self.percent(of: step.share)) of \(step.cohort ?? "everybody"), who have \
                    \(Self.percent(of: before.share(of: step.cohort))) by then: a later step only adds.
                    """, details: details)
            }
            before.add(step)
            try step.check(at: "/plan/steps/\(index)", isAutomatic: advance == .automatic && index < steps.count - 1)
        }
        guard steps.contains(where: { $0.share > 0 }) else {
            throw RolloutError(
                .invalidPlan, "A plan in which every share is 0 gives migrated to nobody; give one step a share.",
                details: ["path": "/plan/steps"])
        }
    }
}

extension RolloutPlan.Step {
    /// An automatic ladder without hold times would be climbed at once.
    fileprivate func check(at path: String, isAutomatic: Bool) throws(RolloutError) {
        guard (0...RolloutPlan.longestHoldSeconds).contains(holdSeconds) else {
            throw .invalidField(path + "/holdSeconds", "an integer from 0 to \(RolloutPlan.longestHoldSeconds)")
        }
        guard (0...RolloutPlan.mostMinimumUnits).contains(minimumUnits) else {
            throw .invalidField(path + "/minimumUnits", "an integer from 0 to \(RolloutPlan.mostMinimumUnits)")
        }
        guard !isAutomatic || holdSeconds > 0 else {
            throw RolloutError(
                .invalidPlan,
                "An automatic ladder needs a hold time at each step but the last: it would be climbed at once.",
                details: ["path": .string(path + "/holdSeconds")])
        }
    }

    /// Whether leaving this step, or entering it, asks for less than the other one does.
    func isLooser(than other: RolloutPlan.Step) -> Bool {
        holdSeconds < other.holdSeconds || minimumUnits < other.minimumUnits
            || (other.needsApproval && !needsApproval) || (other.isMonitored && !isMonitored)
    }
}
