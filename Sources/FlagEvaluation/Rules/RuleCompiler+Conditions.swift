extension RuleCompiler {
    /// Compiles a rule of which only the truth is asked: falls through, or leaves by one of the jumps that are given if
    /// the truth is `leavesIf`.
    mutating func compileCondition(_ rule: JSONValue, leavesIf truth: Bool) throws(FlagError) -> [Int] {
        try enter()
        defer { leave() }
        switch RuleShape(rule) {
        case .data(let value): return value.isTruthy == truth ? [jump()] : []
        case .operation(.and, let arguments, _) where !arguments.isEmpty:
            return try compileChain(arguments, stopsAt: false, leavesIf: truth)
        case .operation(.or, let arguments, _) where !arguments.isEmpty:
            return try compileChain(arguments, stopsAt: true, leavesIf: truth)
        case .operation(.not, let arguments, _) where !arguments.isEmpty:
            return try compileCondition(arguments[0], leavesIf: !truth)
        case .operation(.truth, let arguments, _) where !arguments.isEmpty:
            return try compileCondition(arguments[0], leavesIf: truth)
        case .operation(.reference, let arguments, _):
            return try expand(arguments) { (compiler, rule) throws(FlagError) in
                try compiler.compileCondition(rule, leavesIf: truth)
            }
        case .operation(let known, let arguments, _):
            if let test = slotTest(known, arguments, leavesIf: truth) { return [emit(test, leaves: 0)] }
        default: break
        }
        try compileValue(rule)
        return [emit(Instruction(operation: .jumpIf, flag: truth), leaves: -1)]
    }

    private mutating func jump() -> Int { emit(Instruction(operation: .jump), leaves: 0) }

    /// Compiles `and` (which stops at false) or `or` (which stops at true).
    private mutating func compileChain(
        _ arguments: [JSONValue], stopsAt stop: Bool, leavesIf truth: Bool
    ) throws(FlagError) -> [Int] {
        var jumps: [Int] = []
        guard stop != truth else {
            for argument in arguments { jumps += try compileCondition(argument, leavesIf: truth) }
            return jumps
        }
        var stops: [Int] = []
        for argument in arguments.dropLast() { stops += try compileCondition(argument, leavesIf: stop) }
        if let last = arguments.last { jumps = try compileCondition(last, leavesIf: truth) }
        land(stops)
        return jumps
    }

    /// The one instruction for a comparison of an attribute with a literal.
    private mutating func slotTest(
        _ known: Operator, _ arguments: [JSONValue], leavesIf truth: Bool
    ) -> Instruction? {
        if known == .semanticVersion { return versionTest(arguments, leavesIf: truth) }
        if known == .variable {
            guard let path = attribute(.object([known.rawValue: .array(arguments)])) else { return nil }
            return Instruction(operation: .testTruth, flag: truth, a: slot(path))
        }
        guard arguments.count == 2, let test = Test(known) else { return nil }
        if let path = attribute(arguments[0]), isLiteral(arguments[1]) {
            return slotTest(test, path, arguments[1], leavesIf: truth)
        }
        if let mirrored = test.mirrored, let path = attribute(arguments[1]), isLiteral(arguments[0]) {
            return slotTest(mirrored, path, arguments[0], leavesIf: truth)
        }
        return nil
    }

    private mutating func slotTest(
        _ test: Test, _ path: String, _ literal: JSONValue, leavesIf truth: Bool
    ) -> Instruction {
        var instruction = Instruction(operation: .test, test: test, flag: truth, a: slot(path))
        switch (literal, test) {
        case (.string, .equal), (.string, .strictlyEqual): instruction.operation = .testText
        case (.string, .notEqual), (.string, .strictlyNotEqual):
            instruction.operation = .testText
            instruction.test = test == .notEqual ? .equal : .strictlyEqual
            instruction.flag = !truth
        case (.integer, .equal), (.integer, .strictlyEqual), (.integer, .notEqual), (.integer, .strictlyNotEqual),
            (.integer, .less), (.integer, .lessOrEqual), (.integer, .greater), (.integer, .greaterOrEqual):
            instruction.operation = .testInteger
        case (.array(let members), .contains) where members.allSatisfy({ $0.array == nil && $0.object == nil }):
            instruction.operation = .testMember
            instruction.b = memberList(members)
            return instruction
        default: break
        }
        instruction.b = constant(literal)
        return instruction
    }

    private mutating func versionTest(_ arguments: [JSONValue], leavesIf truth: Bool) -> Instruction? {
        guard arguments.count == 3, let path = attribute(arguments[0]), let sign = arguments[1].string,
            let test = Test(sign: sign), arguments[2].string != nil, SemanticVersion.isValid(arguments[2])
        else { return nil }
        return Instruction(
            operation: .testVersion, test: test, flag: truth, a: slot(path), b: version(constant(arguments[2])))
    }

    /// The path of an attribute of the context without a fallback.
    private func attribute(_ rule: JSONValue) -> String? {
        guard !isInLoop, case .operation(.variable, let arguments, _) = RuleShape(rule), arguments.count == 1,
            let path = RuleCompiler.path(arguments[0]), !path.isEmpty
        else { return nil }
        return path
    }

    /// Whether a rule is its own value: a literal, or an array of such.
    private func isLiteral(_ rule: JSONValue) -> Bool {
        switch RuleShape(rule) {
        case .data: true
        case .array(let elements): elements.allSatisfy { isLiteral($0) }
        default: false
        }
    }
}

extension JSONValue {
    /// What the value is as a condition; see `Value.isTruthy`.
    var isTruthy: Bool {
        switch self {
        case .null: false
        case .bool(let value): value
        case .integer(let value): value != 0
        case .float(let value): !(value == 0 || value.isNaN)
        case .string(let value): !value.isEmpty
        case .array(let value): !value.isEmpty
        case .object: true
        }
    }
}
