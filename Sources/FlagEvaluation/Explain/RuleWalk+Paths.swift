extension RuleWalk {
    /// What lies at a path; the second operand when nothing does, or null.
    mutating func variable(_ operands: Operands, _ step: inout Explanation.Step) -> JSONValue {
        let first = operands.rules.first ?? .null
        let path: String
        var fallback: JSONValue?
        if let written = RuleCompiler.path(first) {
            path = written
            step.operands.append(first)
        } else {
            let found = operand(0, of: operands, &step)
            path = found.isNull ? "" : found.scriptText
            // A path that is worked out has both operands worked out before it is followed.
            fallback = operand(1, of: operands, &step)
        }
        if let value = value(atPath: path), !value.isNull { return value }
        return fallback ?? operand(1, of: operands, &step)
    }

    /// What lies at a path from the element of the innermost loop, or from the context; nil when there is nothing.
    func value(atPath path: String) -> JSONValue? {
        if let element = elements.last { return Self.value(at: path, in: element) }
        guard path == "$flagd" || path.hasPrefix("$flagd.") else { return Self.value(at: path, in: context) }
        let injected: JSONObject = ["flagKey": flagKey.map { .string($0) } ?? .null, "timestamp": .integer(now)]
        guard path != "$flagd" else { return .object(injected) }
        return injected.member(String(path.dropFirst(7)))
    }

    private static func value(at path: String, in start: JSONValue) -> JSONValue? {
        guard !path.isEmpty else { return start }
        var value = start
        for name in path.utf8.split(separator: 0x2E, omittingEmptySubsequences: false) {
            let name = String(decoding: name, as: UTF8.self)
            switch value {
            case .object(let object):
                guard let next = object.member(name) else { return nil }
                value = next
            case .array(let elements):
                guard (1...9).contains(name.utf8.count), name.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
                    let index = Int(name), index < elements.count
                else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// The names that lead to nothing, to null or to an empty text.
    mutating func missing(_ names: [JSONValue]) -> JSONValue {
        let names = names.first?.array ?? names
        return made(.array(names.filter { isMissing($0) }))
    }

    private func isMissing(_ name: JSONValue) -> Bool {
        let value = value(atPath: name.isNull ? "" : name.scriptText) ?? .null
        return value.isNull || value.string?.isEmpty ?? false
    }

    /// `missing`, unless at least so many of the names are there.
    mutating func missing(unless operands: [JSONValue]) -> JSONValue {
        guard let names = operands[1].array else { return .array([]) }
        let missing = made(.array(names.filter { isMissing($0) }))
        let present = Double(names.count - (missing.array?.count ?? 0))
        return present >= number(operands[0]) ? .array([]) : missing
    }
}

/// Whether two texts have the same bytes. Texts that Swift calls equal may not, and rules compare bytes.
func sameBytes(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

extension JSONObject {
    /// The member whose key has those bytes.
    func member(_ name: String) -> JSONValue? { entries.first { sameBytes($0.key, name) }?.value }
}
