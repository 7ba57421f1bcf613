extension RuleCompiler {
    /// Compiles a rule whose value is the answer: each way through it ends the program.
    mutating func compileEnd(_ rule: JSONValue) throws(FlagError) {
        try enter()
        defer { leave() }
        guard variants != nil else { return try endWithValue(rule) }
        switch RuleShape(rule) {
        case .data(let value): end(with: ending(of: value))
        case .operation(.condition, let arguments, _), .operation(.ternary, let arguments, _):
            guard arguments.count != 1 else { return try compileEnd(arguments[0]) }
            var index = 0
            while index + 1 < arguments.count {
                let jumps = try compileCondition(arguments[index], leavesIf: false)
                try compileEnd(arguments[index + 1])
                land(jumps)
                index += 2
            }
            if index < arguments.count {
                try compileEnd(arguments[index])
            } else {
                end(with: Ending.null)
            }
        case .operation(.reference, let arguments, _):
            try expand(arguments) { (compiler, rule) throws(FlagError) in try compiler.compileEnd(rule) }
        case .operation(.fractional, let arguments, let isArray):
            if try !compileSplit(arguments, isArray, ends: true) { try endWithValue(rule) }
        default: try endWithValue(rule)
        }
    }

    private mutating func end(with ending: Int32) {
        emit(Instruction(operation: .endWithVariant, a: ending), leaves: 0)
    }

    private mutating func endWithValue(_ rule: JSONValue) throws(FlagError) {
        try compileValue(rule)
        emit(Instruction(operation: .endWithValue), leaves: -1)
    }

    /// What a literal means as the answer of a flag.
    func ending(of value: JSONValue) -> Int32 {
        switch value {
        case .null: Ending.null
        case .string(let name): variants?[name] ?? Ending.general
        case .bool(let value): variants?[value ? "true" : "false"] ?? Ending.general
        default: Ending.general
        }
    }

    /// Compiles a split whose variants and weights are literals; false, and nothing emitted, when it is not one.
    mutating func compileSplit(_ arguments: [JSONValue], _ isArray: Bool, ends: Bool) throws(FlagError) -> Bool {
        guard isArray, let first = arguments.first else { return false }
        let hasBucketBy = first.array == nil
        var total: UInt32 = 0
        var entries: [(end: UInt32, constant: Int32, ending: Int32)] = []
        for argument in arguments.dropFirst(hasBucketBy ? 1 : 0) {
            guard case .array(let entry) = argument, (1...2).contains(entry.count),
                case .data(let variant) = RuleShape(entry[0]),
                let weight = entry.count == 2 ? Self.wholeWeight(entry[1]) : 1
            else { return false }
            let (sum, overflow) = total.addingReportingOverflow(weight)
            guard !overflow, sum <= UInt32(Int32.max) else { return false }
            total = sum
            entries.append((total, constant(variant), ending(of: variant)))
        }
        guard !entries.isEmpty else { return false }
        if hasBucketBy { try compileValue(first) }
        let depth = stack
        let operation: Instruction.Operation = ends ? .splitAndEnd : .split
        let fast = emit(
            Instruction(operation: operation, flag: hasBucketBy, a: split(entries)),
            leaves: (hasBucketBy ? -1 : 0) + (ends ? 0 : 1))
        guard hasBucketBy, RuleShape(first).mayGiveArray else { return true }
        // What to bucket by may turn out to be one share more.
        let end = ends ? [] : [emit(Instruction(operation: .jump), leaves: 0)]
        land([fast])
        resume(with: depth)
        try compileShares(arguments.dropFirst(), hasBucketBy: true)
        if ends { emit(Instruction(operation: .endWithValue), leaves: -1) }
        land(end)
        return true
    }

    private static func wholeWeight(_ weight: JSONValue) -> UInt32? {
        switch weight {
        case .integer(let value): UInt32(exactly: max(value, 0))
        case .float(let value): Int64(exactly: value).flatMap { UInt32(exactly: max($0, 0)) }
        default: nil
        }
    }
}
