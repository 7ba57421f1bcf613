extension Machine {
    /// Runs a program from its first instruction and gives the variant or the `Ending`.
    ///
    /// The compiler has counted what the stack and the loops need at most, so neither is checked here.
    mutating func run(from entry: Int32) -> Int32 {
        let code = tables.code
        let constants = tables.constants
        let stack = stack
        var next = code + Int(entry)
        /// The next free place.
        var top = stack
        var level = 0
        while true {
            let instruction = next.pointee
            next += 1
            let a = Int(instruction.a)
            switch instruction.operation {
            case .testText:
                let isTrue = isText(instruction.test, slot(instruction.a), constants[Int(instruction.b)])
                if isTrue == instruction.flag { next = code + Int(instruction.target) }
            case .testInteger:
                let isTrue = holds(instruction.test, slot(instruction.a), integer: constants[Int(instruction.b)])
                if isTrue == instruction.flag { next = code + Int(instruction.target) }
            case .testTruth:
                if slot(instruction.a).isTruthy == instruction.flag { next = code + Int(instruction.target) }
            case .testMember:
                let isTrue = Self.isMember(
                    slot(instruction.a), of: tables.lists[Int(instruction.b)], in: tables.members)
                if isTrue == instruction.flag { next = code + Int(instruction.target) }
            case .testVersion:
                let version = tables.versions[Int(instruction.b)]
                let isTrue = Self.holds(instruction.test, slot(instruction.a), version: version)
                if isTrue == instruction.flag { next = code + Int(instruction.target) }
            case .test:
                let isTrue = holds(instruction.test, slot(instruction.a), constants[Int(instruction.b)])
                if isTrue == instruction.flag { next = code + Int(instruction.target) }
            case .endWithVariant: return steps >= 0 ? instruction.a : Ending.exhausted
            case .endWithValue:
                result = (top - 1).pointee
                return steps >= 0 ? Ending.value : Ending.exhausted
            case .constant:
                top.pointee = constants[a]
                top += 1
            case .slot:
                let value = slot(instruction.a)
                top.pointee = value.kind == .absent ? .null : value
                top += 1
            case .slotOrElse:
                let value = slot(instruction.a)
                guard !value.isEmptiness else { break }
                top.pointee = value
                top += 1
                next = code + Int(instruction.target)
            case .jump: next = code + Int(instruction.target)
            case .jumpIf:
                top -= 1
                if top.pointee.isTruthy == instruction.flag { next = code + Int(instruction.target) }
            case .keepIf:
                if (top - 1).pointee.isTruthy == instruction.flag {
                    next = code + Int(instruction.target)
                } else {
                    top -= 1
                }
            case .split, .splitAndEnd:
                let split = tables.splits[a]
                if instruction.flag {
                    if (top - 1).pointee.kind == .array, instruction.target > 0 {
                        next = code + Int(instruction.target)
                        break
                    }
                    top -= 1
                }
                let share = share(of: split, by: instruction.flag ? top.pointee : nil)
                if instruction.operation == .splitAndEnd {
                    return steps >= 0 ? share?.ending ?? Ending.null : Ending.exhausted
                }
                top.pointee = share.map { constants[Int($0.constant)] } ?? .null
                top += 1
            case .element, .elementOrElse:
                let value = Self.value(at: constants[a].text, in: element)
                if instruction.operation == .elementOrElse {
                    guard !value.isEmptiness else { break }
                    next = code + Int(instruction.target)
                }
                top.pointee = value.kind == .absent ? .null : value
                top += 1
            case .loop:
                let kind = instruction.loop
                top -= kind == .reduce ? 2 : 1
                let list = kind == .reduce ? top[1] : top[0]
                if let value = beginLoop(kind, over: list, initial: top[0], at: level) {
                    top.pointee = value
                    top += 1
                    next = code + Int(instruction.target)
                } else {
                    level += 1
                }
            case .next:
                let kind = instruction.loop
                let body = code + Int(instruction.target)
                steps -= next - body
                top -= 1
                if let value = endLoopTurn(kind, with: top.pointee, at: level - 1) {
                    level -= 1
                    top.pointee = value
                    top += 1
                } else {
                    next = body
                }
            default: top = compute(instruction, top)
            }
            if steps < 0 { return Ending.exhausted }
        }
    }

    /// The operations that only take values from the stack and leave one.
    @inline(never)
    private mutating func compute(
        _ instruction: Instruction, _ top: UnsafeMutablePointer<Value>
    ) -> UnsafeMutablePointer<Value> {
        let count = Int(instruction.a)
        let test = instruction.test
        let base: UnsafeMutablePointer<Value>
        let value: Value
        switch instruction.operation {
        case .compare:
            base = top - 2
            switch test {
            case .startsWith, .endsWith: value = Self.affix(base[0], base[1], atEnd: test == .endsWith)
            default: value = Value(holds(test, base[0], base[1]))
            }
        case .between:
            base = top - 3
            value = Value(holds(test, base[0], base[1]) && holds(test, base[1], base[2]))
        case .not, .truth:
            base = top - 1
            value = Value(base[0].isTruthy == (instruction.operation == .truth))
        case .path:
            base = top - 2
            let found = self.value(atPath: base[0], isElement: instruction.flag)
            value = found.isEmptiness ? base[1] : found
        case .semanticVersion:
            base = top - 3
            value = Self.semanticVersion(base[0], base[1], base[2])
        case .missingSome:
            base = top - 2
            value = missing(unless: base[0], of: base[1], isElement: instruction.flag)
        case .fractional:
            let pairs = top - count * 2
            base = instruction.flag ? pairs - 1 : pairs
            value = fractional(first: instruction.flag ? base[0] : nil, pairs, count)
        default:
            base = top - count
            value = compute(instruction, base, count)
        }
        base.pointee = value
        return base + 1
    }

    private mutating func compute(
        _ instruction: Instruction, _ values: UnsafeMutablePointer<Value>, _ count: Int
    ) -> Value {
        switch instruction.operation {
        case .array: array(values, count)
        case .add: sum(values, count)
        case .multiply: product(values, count)
        case .subtract: difference(values, count)
        case .divide: quotient(values[0], values[1])
        case .remainder: remainder(values[0], values[1])
        case .minimum: extreme(values, count, isLargest: false)
        case .maximum: extreme(values, count, isLargest: true)
        case .concatenate: concatenate(values, count)
        case .substring: substring(values[0], from: values[1], count: count > 2 ? values[2] : nil)
        case .merge: merge(values, count)
        case .missing: missing(values, count, isElement: instruction.flag)
        default: .null
        }
    }
}
