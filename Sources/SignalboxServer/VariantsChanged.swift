import FlagEvaluation
import Rollouts

/// How many synthetic units get another variant of one flag, by the variants they would go from and to.
///
/// The units carry a targeting key and nothing else, so a cohort that asks for attributes contains none of them.
struct VariantsChanged {
    private struct Pair: Hashable {
        let from: Int?
        let to: Int?
    }
    private let flag: String
    private let old: VariantsOfFlag
    private let new: VariantsOfFlag
    private let reshuffles: [Reshuffle]
    private var counts: [Pair: Int] = [:]
    private var sampled = 0
    /// Of one dry run; counting more would take seconds.
    static let mostFlags = 20

    private init(of flag: String, from before: Snapshot, to after: Snapshot) {
        self.flag = flag
        let (stored, edited) = (before.configuration.flags[flag], after.configuration.flags[flag])
        reshuffles =
            stored.flatMap { stored in
                edited.map { Reshuffle.all(replacing: stored.definition, by: $0.definition) }
            } ?? []
        old = VariantsOfFlag(flag, in: before.flags)
        new = VariantsOfFlag(flag, in: after.flags)
    }

    /// Counts for several flags at once. Ends early, as `UnitsChanged` does, when a rule takes too long.
    static func counted(
        _ flags: some Sequence<String>, from before: Snapshot, to after: Snapshot, at now: Int64,
        until isOver: () -> Bool
    ) -> [VariantsChanged] {
        var all = flags.map { VariantsChanged(of: $0, from: before, to: after) }
        let scratches = (EvaluationScratch(), EvaluationScratch())
        for number in 0..<UnitsChanged.sample {
            if number % UnitsChanged.stride == 0, isOver() { break }
            let context = EvaluationContext(targetingKey: "unit-\(number)", attributes: [:])
            for index in all.indices {
                all[index].count(context, at: now / 1_000, scratches.0, scratches.1)
            }
        }
        return all
    }

    private mutating func count(
        _ context: borrowing EvaluationContext, at now: Int64, _ first: EvaluationScratch, _ second: EvaluationScratch
    ) {
        sampled += 1
        let pair = Pair(from: old.variant(for: context, at: now, first), to: new.variant(for: context, at: now, second))
        // Another place among the variants need not be another variant.
        if old.name(pair.from) != new.name(pair.to) { counts[pair, default: 0] += 1 }
    }

    /// The most common change first; null stands for the application's own default.
    var json: JSONObject {
        let pairs = counts.map { (from: old.name($0.key.from), to: new.name($0.key.to), units: $0.value) }
            .sorted { ($1.units, $0.from ?? "", $0.to ?? "") < ($0.units, $1.from ?? "", $1.to ?? "") }
        return [
            "flag": .string(flag), "changed": .integer(Int64(counts.values.reduce(0, +))),
            "of": .integer(Int64(sampled)),
            "pairs": .objects(
                pairs.map { ["from": .text($0.from), "to": .text($0.to), "units": .integer(Int64($0.units))] }),
            "reshuffles": .objects(
                reshuffles.map { ["path": .string($0.path), "cause": .string($0.cause.rawValue)] }),
        ]
    }
}

/// One flag of a set, or its absence.
private struct VariantsOfFlag {
    private let flags: FlagSet
    private let index: Int?

    init(_ key: String, in flags: FlagSet) {
        self.flags = flags
        index = flags.index(ofKey: key)
    }

    /// Where the variant stands; nil when the application's own default applies.
    func variant(for context: borrowing EvaluationContext, at now: Int64, _ scratch: EvaluationScratch) -> Int? {
        index.flatMap { flags.outcome(at: $0, for: context, at: now, using: scratch).variant }
    }

    func name(_ variant: Int?) -> String? {
        guard let index, let variant else { return nil }
        return flags[index].variants[variant].name
    }
}

extension AppliedCommand {
    /// The flags whose change is worth counting: those that people have, or the only one.
    func countedFlags(since before: Configuration) -> [String] {
        let keys = rows.compactMap { row -> String? in
            switch row {
            case .flag(let flag): flag.key
            case .removedFlag(let key): key
            default: nil
            }
        }
        return keys.count == 1 ? keys : keys.filter { before.flags[$0] != nil }
    }
}
