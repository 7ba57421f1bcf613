/// A part of an edit that moves units among the variants of a split although no share says so.
public struct Reshuffle: Hashable, Sendable {
    /// How units are moved.
    public enum Cause: String, Sendable {
        /// Something else is hashed.
        case bucketBy = "bucket_by"
        /// Variants that stay stand in another order.
        case order
        /// The weights add up to something else.
        case total
    }
    /// JSON Pointer (RFC 6901) from the new flag's object to the split.
    public let path: String
    /// How units are moved.
    public let cause: Cause

    /// What replacing a flag's object would reshuffle.
    ///
    /// Splits that stay as they are match one another wherever they stand; the others are compared in their order, so
    /// an edit that rebuilds everything is doubted rather than trusted.
    public static func all(replacing old: JSONObject, by new: JSONObject) -> [Reshuffle] {
        var before = WrittenSplit.all(in: old)
        var after = WrittenSplit.all(in: new)
        for split in before {
            guard let there = after.firstIndex(where: { $0.isSame(as: split) }),
                let here = before.firstIndex(where: { $0.path == split.path })
            else { continue }
            after.remove(at: there)
            before.remove(at: here)
        }
        return zip(before, after).compactMap { old, new in
            old.cause(whenReplacedBy: new).map { Reshuffle(path: new.path, cause: $0) }
        }
    }
}

/// A `fractional` as it is written.
private struct WrittenSplit {
    let path: String
    /// Null for the shorthand.
    let bucketBy: JSONValue
    let variants: [JSONValue]
    let weights: [JSONValue]

    init(_ arguments: [JSONValue], path: String) {
        self.path = path
        let entries = arguments.filter { $0.array != nil }
        bucketBy = arguments.first { $0.array == nil } ?? .null
        variants = entries.map { $0.array?.first ?? .null }
        weights = entries.map { entry in entry.array?.dropFirst().first ?? 1 }
    }

    func isSame(as other: WrittenSplit) -> Bool {
        bucketBy == other.bucketBy && variants == other.variants && weights == other.weights
    }

    func cause(whenReplacedBy new: WrittenSplit) -> Reshuffle.Cause? {
        if bucketBy != new.bucketBy { return .bucketBy }
        let kept = variants.filter { new.variants.contains($0) }
        if kept != new.variants.filter({ variants.contains($0) }) { return .order }
        switch (total, new.total) {
        case (let old?, let new?): return old == new ? nil : .total
        // A weight that is worked out cannot be added up here, so it must stay what it is.
        default: return weights == new.weights ? nil : .total
        }
    }

    /// What the weights add up to; nil unless all are numbers.
    private var total: Int64? {
        var sum: Int64 = 0
        for weight in weights {
            guard let whole = weight.integer ?? weight.wholeNumber else { return nil }
            sum = sum.addingReportingOverflow(max(whole, 0)).partialValue
        }
        return sum
    }

    /// All splits of a flag's targeting, in the order in which they stand.
    static func all(in flag: JSONObject) -> [WrittenSplit] {
        guard let targeting = flag["targeting"], !targeting.isDeeper(than: JSONLimits.flagFile.depth) else { return [] }
        var splits: [WrittenSplit] = []
        var open = [(targeting, JSONPointer().appending("targeting"))]
        while let (rule, path) = open.popLast() {
            var parts: [(JSONValue, JSONPointer)] = []
            switch RuleShape(rule) {
            case .data, .unknownOperation: break
            case .array(let elements): parts = elements.enumerated().map { ($1, path.appending($0)) }
            case .operation(let known, let arguments, let isArray):
                let path = path.appending(known.rawValue)
                if known == .fractional { splits.append(WrittenSplit(arguments, path: path.text)) }
                parts = arguments.enumerated().map { ($1, isArray ? path.appending($0) : path) }
            }
            open += parts.reversed()
        }
        return splits
    }
}

extension JSONValue {
    /// A number with a fraction of nothing, as a whole number.
    fileprivate var wholeNumber: Int64? {
        guard case .float(let value) = self else { return nil }
        return Int64(exactly: value)
    }
}
