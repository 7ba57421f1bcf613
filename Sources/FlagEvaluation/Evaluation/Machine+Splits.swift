extension Machine {
    /// The bucket of a split: that of a value, or without one that of the flag's key and the targeting key.
    ///
    /// Nil when there is nothing to bucket by, such as an empty key: all units without one would be one unit.
    mutating func bucket(by value: Value?) -> Bucket? {
        if let value {
            guard bucketing == .v3 else {
                return value.isString && value.length > 0 ? Bucket(hashing: value.text) : nil
            }
            if value.kind == .null || (value.kind == .float && value.float.isNaN) { return nil }
            return bucket(of: DeterministicCBOR.encoding(of: value, in: &arena))
        }
        let unit = targetingKey
        guard unit.isString, unit.length > 0 else { return nil }
        let salt = flagKey.isString ? flagKey : .emptyString
        if bucketing == .v3 { return bucket(of: DeterministicCBOR.encoding(of: salt, unit, in: &arena)) }
        let count = Int(salt.length) + Int(unit.length)
        guard let memory = arena.allocate(count) else {
            steps = -1
            return nil
        }
        memory.copyMemory(from: salt.address, byteCount: Int(salt.length))
        (memory + Int(salt.length)).copyMemory(from: unit.address, byteCount: Int(unit.length))
        return Bucket(hashing: UnsafeRawBufferPointer(start: memory, count: count))
    }

    private mutating func bucket(of encoding: UnsafeRawBufferPointer?) -> Bucket? {
        if encoding == nil { steps = -1 }
        return encoding.map { Bucket(hashing: $0) }
    }

    /// The share of a split in which something falls.
    @inline(__always)
    mutating func share(of split: Split, by value: Value?) -> Share? {
        guard let bucket = bucket(by: value), split.total > 0 else { return nil }
        let position = bucket.position(among: split.total)
        let shares = tables.shares + Int(split.first)
        for index in 0..<Int(split.count) where position < shares[index].end { return shares[index] }
        return nil
    }

    /// A split whose variants or weights are worked out: pairs of both.
    ///
    /// `first` is what it is to be bucketed by, unless it is an array: then it is the first pair.
    mutating func fractional(first: Value?, _ pairs: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        let isPair = first?.kind == .array
        guard let bucket = bucket(by: isPair ? nil : first) else { return .null }
        var extra: (variant: Value, weight: Value)?
        if isPair, let first {
            guard (1...2).contains(first.length), let list = first.node else { return .null }
            let variant = list + 1
            let weight = variant + Int(variant.pointee.span)
            extra = (Value(variant), first.length == 2 ? Value(weight) : Value(Int64(1)))
        }
        var total: Int64 = 0
        if let extra {
            guard let weight = Self.weight(extra.weight) else { return .null }
            total = weight
        }
        for index in 0..<count {
            guard let weight = Self.weight(pairs[index * 2 + 1]) else { return .null }
            total += weight
        }
        guard total > 0, total <= Int64(Int32.max) else { return .null }
        let position = Int64(bucket.position(among: UInt32(truncatingIfNeeded: total)))
        var end: Int64 = 0
        if let extra {
            end = Self.weight(extra.weight) ?? 0
            if position < end { return extra.variant }
        }
        for index in 0..<count {
            end += Self.weight(pairs[index * 2 + 1]) ?? 0
            if position < end { return pairs[index * 2] }
        }
        return .null
    }

    /// A weight: whole, and 0 if it is negative, as a rollout by the clock begins. At most what a sum may be, and one.
    private static func weight(_ value: Value) -> Int64? {
        let most = Int64(Int32.max) + 1
        switch value.kind {
        case .integer: return min(max(0, value.integer), most)
        case .float:
            guard value.float.rounded(.towardZero) == value.float else { return nil }
            return Int64(max(0, min(value.float, Double(most))))
        default: return nil
        }
    }
}
