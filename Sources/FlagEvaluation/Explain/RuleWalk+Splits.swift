extension RuleWalk {
    /// The variant in whose share the unit falls, with everything that was counted to find it.
    mutating func split(_ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        guard operands.count > 0 else { return .null }
        let hasBucketBy = !operands.isArray || operands[0].array == nil
        // A nil here would be the value null.
        let bucketBy: JSONValue? = hasBucketBy ? operand(0, of: operands, &step) : JSONValue?.none
        var shares: [(variant: JSONValue, weight: JSONValue)] = []
        // What is bucketed by may turn out to be a first share.
        if let first = bucketBy?.array {
            guard (1...2).contains(first.count) else { return .null }
            shares.append((first[0], first.count == 2 ? first[1] : 1))
        }
        for index in (hasBucketBy ? 1 : 0)..<operands.count {
            guard operands.isArray, let pair = operands[index].array, (1...2).contains(pair.count) else { return .null }
            let path = operands.path(index)
            let variant = value(of: pair[0], at: path.appending(0), into: &step.steps)
            let weight = pair.count == 2 ? value(of: pair[1], at: path.appending(1), into: &step.steps) : 1
            shares.append((variant, weight))
        }
        guard let input = hashInput(bucketBy?.array == nil ? bucketBy : nil), let bucket = bucket(of: input),
            let edges = Self.edges(of: shares.map(\.weight)),
            let total = edges.last, total > 0, total <= Int64(Int32.max)
        else { return .null }
        let position = Int64(bucket.position(among: UInt32(truncatingIfNeeded: total)))
        let matched = edges.firstIndex { position < $0 }
        step.notes["split"] = [
            "hashInput": input.shown, "hash": .integer(Int64(bucket.value)),
            "bucket": .integer(position),
            "total": .integer(total),
            "edges": .array(
                shares.indices.map { index in
                    [
                        "variant": shares[index].variant.shown,
                        "from": .integer(index > 0 ? edges[index - 1] : 0), "to": .integer(edges[index]),
                        "matched": .bool(index == matched),
                    ]
                }),
        ]
        return matched.map { shares[$0].variant } ?? .null
    }

    /// What is hashed: a value that is given, or the flag's key and the targeting key. Nil when there is nothing to
    /// bucket by.
    private func hashInput(_ value: JSONValue?) -> JSONValue? {
        if let value {
            guard bucketing == .v3 else { return value.string?.isEmpty == false ? value : nil }
            if case .float(let number) = value, number.isNaN { return nil }
            return value.isNull ? nil : value
        }
        guard let unit = context["targetingKey"]?.string, !unit.isEmpty else { return nil }
        switch bucketing {
        case .v2: return .string((flagKey ?? "") + unit)
        case .v3: return [.string(flagKey ?? ""), .string(unit)]
        }
    }

    private func bucket(of input: JSONValue) -> Bucket? {
        switch bucketing {
        case .v2: input.string.map { Bucket(hashing: $0) }
        case .v3: Bucket(encoding: input)
        }
    }

    /// Where each share ends; nil when a weight is no whole number. A negative weight counts as 0.
    private static func edges(of weights: [JSONValue]) -> [Int64]? {
        let most = Int64(Int32.max) + 1
        var edges: [Int64] = []
        for weight in weights {
            let whole: Int64
            switch weight {
            case .integer(let value): whole = min(max(0, value), most)
            case .float(let value):
                guard value.rounded(.towardZero) == value else { return nil }
                whole = Int64(max(0, min(value, Double(most))))
            default: return nil
            }
            edges.append((edges.last ?? 0) + whole)
        }
        return edges
    }
}
