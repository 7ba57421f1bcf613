extension RuleWalk {
    /// What an operation gives.
    mutating func value(of known: Operator, _ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        switch known {
        case .variable: return variable(operands, &step)
        case .missing: return missing(all(operands.count, of: operands, &step))
        case .missingSome: return missing(unless: all(2, of: operands, &step))
        case .condition, .ternary: return choice(operands, &step)
        case .and: return decidingOperand(operands, stopsAt: false, &step)
        case .or: return decidingOperand(operands, stopsAt: true, &step)
        case .not: return .bool(!operand(0, of: operands, &step).isTruthy)
        case .truth: return .bool(operand(0, of: operands, &step).isTruthy)
        case .equal, .notEqual:
            let sides = all(2, of: operands, &step)
            return .bool(isEqual(sides[0], sides[1]) == (known == .equal))
        case .strictlyEqual, .strictlyNotEqual:
            let sides = all(2, of: operands, &step)
            return .bool(isStrictlyEqual(sides[0], sides[1]) == (known == .strictlyEqual))
        case .less, .lessOrEqual:
            let sides = all(operands.count < 3 ? 2 : 3, of: operands, &step)
            let pairs = zip(sides, sides.dropFirst())
            return .bool(pairs.allSatisfy { isLess($0, $1, orEqual: known == .lessOrEqual) })
        case .greater, .greaterOrEqual:
            let sides = all(2, of: operands, &step)
            return .bool(isLess(sides[1], sides[0], orEqual: known == .greaterOrEqual))
        case .add: return sum(all(operands.count, of: operands, &step))
        case .multiply: return product(all(operands.count, of: operands, &step))
        case .subtract: return difference(all(operands.count > 1 ? 2 : 1, of: operands, &step))
        case .divide: return quotient(all(2, of: operands, &step))
        case .remainder: return remainder(all(2, of: operands, &step))
        case .minimum: return extreme(all(operands.count, of: operands, &step), isLargest: false)
        case .maximum: return extreme(all(operands.count, of: operands, &step), isLargest: true)
        case .concatenate:
            let parts = all(operands.count, of: operands, &step)
            return made(.string(parts.map { $0.isNull ? "" : $0.scriptText }.joined()))
        case .substring: return made(substring(all(operands.count > 2 ? 3 : 2, of: operands, &step)))
        case .contains:
            let sides = all(2, of: operands, &step)
            return .bool(contains(sides[0], in: sides[1]))
        case .merge:
            let lists = all(operands.count, of: operands, &step)
            return made(.array(lists.flatMap { $0.array ?? [$0] }))
        case .map, .filter, .reduce, .all, .none, .some: return loop(known, operands, &step)
        case .startsWith, .endsWith: return affix(known, operands, &step)
        case .semanticVersion: return versions(operands, &step)
        case .fractional: return split(operands, &step)
        case .reference: return cohort(operands, &step)
        }
    }

    /// The first branch whose condition holds, else the last value.
    private mutating func choice(_ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        var index = 0
        while index + 1 < operands.count {
            if operand(index, of: operands, &step).isTruthy {
                step.notes["branch"] = .integer(Int64(index / 2))
                return operand(index + 1, of: operands, &step)
            }
            index += 2
        }
        step.notes["branch"] = "else"
        return operand(index, of: operands, &step)
    }

    /// `and` and `or` give the operand that decides.
    private mutating func decidingOperand(
        _ operands: Operands, stopsAt stop: Bool, _ step: inout Explanation.Step
    ) -> JSONValue {
        var value = JSONValue.null
        for index in 0..<operands.count {
            value = operand(index, of: operands, &step)
            if value.isTruthy == stop { break }
        }
        return value
    }

    private mutating func cohort(_ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        guard let name = operands.rules.first?.string, let rule = evaluators[name] else { return .null }
        step.notes["cohort"] = .string(name)
        let value = value(of: rule, at: JSONPointer(), into: &step.steps)
        step.notes["matched"] = .bool(value.isTruthy)
        return value
    }

    private mutating func affix(
        _ known: Operator, _ operands: Operands, _ step: inout Explanation.Step
    ) -> JSONValue {
        guard operands.count == 2 else { return .null }
        let sides = all(2, of: operands, &step)
        guard let text = sides[0].string?.utf8, let affix = sides[1].string?.utf8 else { return .null }
        guard affix.count <= text.count else { return false }
        let part = known == .startsWith ? text.prefix(affix.count) : text.suffix(affix.count)
        return .bool(part.elementsEqual(affix))
    }

    private mutating func versions(_ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        guard operands.count == 3 else { return .null }
        let values = all(3, of: operands, &step)
        guard let sign = values[1].string, let test = Test(sign: sign), var left = values[0].versionText,
            var right = values[2].versionText
        else { return .null }
        let holds = left.withUTF8 { left in
            right.withUTF8 { right -> Bool? in
                guard let left = SemanticVersion(UnsafeRawBufferPointer(left)),
                    let right = SemanticVersion(UnsafeRawBufferPointer(right))
                else { return nil }
                return test.holds(left, right)
            }
        }
        return holds.map { .bool($0) } ?? .null
    }

    private mutating func loop(
        _ known: Operator, _ operands: Operands, _ step: inout Explanation.Step
    ) -> JSONValue {
        var result = JSONValue.null
        if known == .reduce {
            result =
                operands.count > 2
                ? value(of: operands[2], at: operands.path(2), into: &step.steps) : .null
        }
        let list = operand(0, of: operands, &step)
        if known == .reduce { step.operands.append(result) }
        var kept: [JSONValue] = []
        guard let members = list.array, !members.isEmpty else {
            switch known {
            case .map, .filter: return .array([])
            case .reduce: return result
            default: return .bool(known == .none)
            }
        }
        for member in members {
            elements.append(known == .reduce ? ["current": member, "accumulator": result] : member)
            let body = operands.count > 1 ? value(of: operands[1], at: operands.path(1), into: &step.steps) : .null
            elements.removeLast()
            switch known {
            case .map: kept.append(body)
            case .filter: if body.isTruthy { kept.append(member) }
            case .reduce: result = made(body)
            case .all: if !body.isTruthy { return false }
            case .some: if body.isTruthy { return true }
            default: if body.isTruthy { return false }
            }
        }
        switch known {
        case .map, .filter: return made(.array(kept))
        case .reduce: return result
        default: return .bool(known != .some)
        }
    }
}

extension JSONValue {
    /// What `sem_ver` reads a version from.
    fileprivate var versionText: String? {
        switch self {
        case .string(let text): text
        case .integer(let number): String(number)
        case .float(let number): number.description
        default: nil
        }
    }
}
