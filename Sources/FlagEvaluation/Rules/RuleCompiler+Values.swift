extension RuleCompiler {
    /// Compiles a rule so that its value is pushed.
    mutating func compileValue(_ rule: JSONValue) throws(FlagError) {
        try enter()
        defer { leave() }
        switch RuleShape(rule) {
        case .data(let value): push(value)
        case .array(let elements): try compileArray(elements)
        case .unknownOperation(let name):
            throw FlagError(.unknownOperator, at: "/targeting", "There is no operator \"\(name)\".")
        case .operation(let known, let arguments, let isArray): try compile(known, arguments, isArray)
        }
    }

    private mutating func push(_ value: JSONValue) {
        emit(Instruction(operation: .constant, a: constant(value)), leaves: 1)
    }

    private mutating func compileAll(_ arguments: [JSONValue]) throws(FlagError) {
        for argument in arguments { try compileValue(argument) }
    }

    /// An array of literals is one constant; of others it is made each time.
    private mutating func compileArray(_ elements: [JSONValue]) throws(FlagError) {
        let start = code.count
        let depth = stack
        try compileAll(elements)
        if code[start...].allSatisfy({ $0.operation == .constant }), code.count - start == elements.count {
            let values = code[start...].map { constants[Int($0.a)] }
            code.removeSubrange(start...)
            resume(with: depth)
            push(.array(values))
        } else {
            emit(Instruction(operation: .array, a: Int32(elements.count)), leaves: 1 - elements.count)
        }
    }

    /// Pushes as many arguments as the operation takes, null for those that are missing.
    private mutating func compile(_ arguments: [JSONValue], exactly count: Int) throws(FlagError) {
        try compileAll(Array(arguments.prefix(count)))
        for _ in arguments.count..<max(arguments.count, count) { push(.null) }
    }

    private mutating func compile(
        _ known: Operator, _ arguments: [JSONValue], _ isArray: Bool
    ) throws(FlagError) {
        switch known {
        case .variable: try compileVariable(arguments)
        case .condition, .ternary: try compileChoice(arguments)
        case .and, .or: try compileOperands(arguments, stopsAt: known == .or)
        case .not, .truth:
            try compile(arguments, exactly: 1)
            emit(Instruction(operation: known == .not ? .not : .truth), leaves: 0)
        case .less, .lessOrEqual:
            guard arguments.count < 3, let test = Test(known) else {
                try compile(arguments, exactly: 3)
                emit(Instruction(operation: .between, test: Test(known) ?? .less), leaves: -2)
                return
            }
            try compileComparison(test, arguments)
        case .equal, .strictlyEqual, .notEqual, .strictlyNotEqual, .greater, .greaterOrEqual, .contains:
            if let test = Test(known) { try compileComparison(test, arguments) }
        case .startsWith, .endsWith:
            // Another count of arguments gives null.
            guard arguments.count == 2, let test = Test(known) else { return push(.null) }
            try compileComparison(test, arguments)
        case .semanticVersion:
            guard arguments.count == 3 else { return push(.null) }
            try compileAll(arguments)
            emit(Instruction(operation: .semanticVersion), leaves: -2)
        case .divide: try compileFixed(.divide, arguments, 2)
        case .remainder: try compileFixed(.remainder, arguments, 2)
        case .substring: try compileFixed(.substring, arguments, arguments.count > 2 ? 3 : 2)
        case .missingSome:
            try compile(arguments, exactly: 2)
            emit(Instruction(operation: .missingSome, flag: isInLoop), leaves: -1)
        case .subtract: try compileFixed(.subtract, arguments, arguments.count > 1 ? 2 : 1)
        case .add: try compileFixed(.add, arguments, arguments.count)
        case .multiply: try compileFixed(.multiply, arguments, arguments.count)
        case .minimum: try compileFixed(.minimum, arguments, arguments.count)
        case .maximum: try compileFixed(.maximum, arguments, arguments.count)
        case .concatenate: try compileFixed(.concatenate, arguments, arguments.count)
        case .merge: try compileFixed(.merge, arguments, arguments.count)
        case .missing: try compileFixed(.missing, arguments, arguments.count)
        case .map, .filter, .reduce, .all, .none, .some: try compileLoop(known, arguments)
        case .reference:
            try expand(arguments) { (compiler, rule) throws(FlagError) in try compiler.compileValue(rule) }
        case .fractional: try compileFractional(arguments, isArray)
        }
    }

    private mutating func compileFixed(
        _ operation: Instruction.Operation, _ arguments: [JSONValue], _ count: Int
    ) throws(FlagError) {
        try compile(arguments, exactly: count)
        emit(Instruction(operation: operation, flag: isInLoop, a: Int32(count)), leaves: 1 - count)
    }

    private mutating func compileComparison(_ test: Test, _ arguments: [JSONValue]) throws(FlagError) {
        try compile(arguments, exactly: 2)
        emit(Instruction(operation: .compare, test: test), leaves: -1)
    }

    // MARK: Choices

    private mutating func compileChoice(_ arguments: [JSONValue]) throws(FlagError) {
        guard arguments.count != 1 else { return try compileValue(arguments[0]) }
        let depth = stack
        var ends: [Int] = []
        var index = 0
        while index + 1 < arguments.count {
            let jumps = try compileCondition(arguments[index], leavesIf: false)
            try compileValue(arguments[index + 1])
            ends.append(emit(Instruction(operation: .jump), leaves: 0))
            land(jumps)
            resume(with: depth)
            index += 2
        }
        try compileValue(index < arguments.count ? arguments[index] : .null)
        land(ends)
    }

    /// `and` and `or` give the operand that decides.
    private mutating func compileOperands(_ arguments: [JSONValue], stopsAt stop: Bool) throws(FlagError) {
        guard let last = arguments.last else { return push(.null) }
        var ends: [Int] = []
        for argument in arguments.dropLast() {
            try compileValue(argument)
            ends.append(emit(Instruction(operation: .keepIf, flag: stop), leaves: -1))
        }
        try compileValue(last)
        land(ends)
    }

    // MARK: Paths

    /// A path that is written out: text, a number, or nothing for everything.
    static func path(_ value: JSONValue) -> String? {
        switch value {
        case .null: ""
        case .string(let path): path
        case .integer(let index): String(index)
        case .float(let index): String(index)
        default: nil
        }
    }

    private mutating func compileVariable(_ arguments: [JSONValue]) throws(FlagError) {
        let first = arguments.first ?? .null
        guard let path = Self.path(first) else {
            noteAnyPath()
            try compileValue(first)
            try compileValue(arguments.count > 1 ? arguments[1] : .null)
            emit(Instruction(operation: .path, flag: isInLoop), leaves: -1)
            return
        }
        let index = isInLoop ? constant(.string(path)) : slot(path)
        guard arguments.count > 1 else {
            emit(Instruction(operation: isInLoop ? .element : .slot, a: index), leaves: 1)
            return
        }
        let found = emit(Instruction(operation: isInLoop ? .elementOrElse : .slotOrElse, a: index), leaves: 0)
        try compileValue(arguments[1])
        land([found])
    }

    // MARK: Loops and splits

    private mutating func compileLoop(_ known: Operator, _ arguments: [JSONValue]) throws(FlagError) {
        let kind: LoopKind =
            switch known {
            case .map: .map
            case .filter: .filter
            case .reduce: .reduce
            case .all: .all
            case .none: .none
            default: .some
            }
        if kind == .reduce { try compileValue(arguments.count > 2 ? arguments[2] : .null) }
        try compileValue(arguments.first ?? .null)
        let start = emit(
            Instruction(operation: .loop, loop: kind), leaves: kind == .reduce ? -2 : -1)
        enterLoop()
        let body = code.count
        try compileValue(arguments.count > 1 ? arguments[1] : .null)
        leaveLoop()
        emit(Instruction(operation: .next, loop: kind, target: Int32(body)), leaves: 0)
        land([start])
    }

    private mutating func compileFractional(_ arguments: [JSONValue], _ isArray: Bool) throws(FlagError) {
        if try compileSplit(arguments, isArray, ends: false) { return }
        guard let first = arguments.first else { return push(.null) }
        let hasBucketBy = !isArray || first.array == nil
        if hasBucketBy { try compileValue(first) }
        try compileShares(arguments.dropFirst(hasBucketBy ? 1 : 0), hasBucketBy: hasBucketBy)
    }

    /// Compiles shares whose variants or weights are worked out. What to bucket by, if anything, has been pushed.
    mutating func compileShares(_ entries: ArraySlice<JSONValue>, hasBucketBy: Bool) throws(FlagError) {
        for entry in entries {
            guard case .array(let pair) = entry, (1...2).contains(pair.count) else {
                // Not a share, which makes the whole null.
                push(.null)
                push(.null)
                continue
            }
            try compileValue(pair[0])
            try compileValue(pair.count == 2 ? pair[1] : .integer(1))
        }
        emit(
            Instruction(operation: .fractional, flag: hasBucketBy, a: Int32(entries.count)),
            leaves: 1 - entries.count * 2 - (hasBucketBy ? 1 : 0))
    }
}
