extension RuleWalk {
    // MARK: Comparing, as JavaScript does

    func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        if left.isNull || right.isNull { return left.isNull && right.isNull }
        if left.isContainer, right.isContainer { return isStrictlyEqual(left, right) }
        if left.isContainer || left.string != nil, right.isContainer || right.string != nil {
            return sameBytes(left.scriptText, right.scriptText)
        }
        if let left = left.integer, let right = right.integer { return left == right }
        return number(left) == number(right)
    }

    /// Containers are equal when their contents are, whatever the order of members. As deep as values nest.
    func isStrictlyEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.string(let left), .string(let right)): sameBytes(left, right)
        case (.integer(let left), .integer(let right)): left == right
        case (.integer, .float), (.float, .integer), (.float, .float): number(left) == number(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isStrictlyEqual($0, $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.entries.allSatisfy { key, value in
                    right.member(key).map { isStrictlyEqual(value, $0) } ?? false
                }
        default: false
        }
    }

    func isLess(_ left: JSONValue, _ right: JSONValue, orEqual: Bool) -> Bool {
        let left = left.isContainer ? JSONValue.string(left.scriptText) : left
        let right = right.isContainer ? JSONValue.string(right.scriptText) : right
        if let left = left.string, let right = right.string {
            if left.utf8.lexicographicallyPrecedes(right.utf8) { return true }
            return orEqual && sameBytes(left, right)
        }
        return orEqual ? number(left) <= number(right) : number(left) < number(right)
    }

    mutating func contains(_ needle: JSONValue, in haystack: JSONValue) -> Bool {
        switch haystack {
        case .array(let elements):
            pay(elements.count / 4)
            return elements.contains { isStrictlyEqual(needle, $0) }
        case .string(let text):
            let (part, whole) = (Array(needle.scriptText.utf8), Array(text.utf8))
            guard !part.isEmpty else { return true }
            guard part.count <= whole.count else { return false }
            // Two long texts of one letter: what a hostile context costs is paid for before it is done.
            guard pay(part.count.multipliedReportingOverflow(by: whole.count).partialValue / 512) else { return false }
            return (0...(whole.count - part.count)).contains { whole[$0..<($0 + part.count)].elementsEqual(part) }
        default: return false
        }
    }

    // MARK: Calculating: with whole numbers as long as they fit

    /// The value as a number, as JavaScript would read it; not a number when it is none.
    func number(_ value: JSONValue) -> Double { Double(numeric: numeric(value)) }

    func numeric(_ value: JSONValue) -> JSONValue {
        switch value {
        case .integer, .float: value
        case .null: 0
        case .bool(let truth): truth ? 1 : 0
        case .string, .array, .object: Self.number(in: value.scriptText)
        }
    }

    /// The number that a text is; not a number for anything else.
    private static func number(in text: String) -> JSONValue {
        var text = text
        let value = text.withUTF8 { Value(numberIn: UnsafeRawBufferPointer($0)) }
        return value.kind == .integer ? .integer(value.integer) : .float(value.float)
    }

    func sum(_ values: [JSONValue]) -> JSONValue {
        values.reduce(0) { combined($0, $1, { $0.addingReportingOverflow($1) }, +) }
    }

    func product(_ values: [JSONValue]) -> JSONValue {
        values.reduce(1) { combined($0, $1, { $0.multipliedReportingOverflow(by: $1) }, *) }
    }

    func difference(_ values: [JSONValue]) -> JSONValue {
        let (left, right) = values.count > 1 ? (values[0], values[1]) : (0, values.first ?? .null)
        return combined(left, right, { $0.subtractingReportingOverflow($1) }, -)
    }

    func quotient(_ values: [JSONValue]) -> JSONValue {
        combined(
            values[0], values[1],
            { left, right in
                let (quotient, overflow) = left.dividedReportingOverflow(by: right)
                return (quotient, overflow || left.remainderReportingOverflow(dividingBy: right).partialValue != 0)
            }, /)
    }

    func remainder(_ values: [JSONValue]) -> JSONValue {
        combined(
            values[0], values[1], { $0.remainderReportingOverflow(dividingBy: $1) },
            { $0.truncatingRemainder(dividingBy: $1) })
    }

    func extreme(_ values: [JSONValue], isLargest: Bool) -> JSONValue {
        guard let first = values.first else { return .null }
        return values.dropFirst().reduce(numeric(first)) { best, value in
            let next = numeric(value)
            let (left, right) = (Double(numeric: best), Double(numeric: next))
            return right.isNaN || (isLargest ? right > left : right < left) ? next : best
        }
    }

    private func combined(
        _ left: JSONValue, _ right: JSONValue, _ whole: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ floating: (Double, Double) -> Double
    ) -> JSONValue {
        let (left, right) = (numeric(left), numeric(right))
        if let left = left.integer, let right = right.integer {
            let (result, overflow) = whole(left, right)
            if !overflow { return .integer(result) }
        }
        return .float(floating(Double(numeric: left), Double(numeric: right)))
    }

    // MARK: Texts

    /// Part of a text, counted in characters of Unicode; negative numbers count from the end.
    func substring(_ operands: [JSONValue]) -> JSONValue {
        let characters = Array(operands[0].scriptText.unicodeScalars)
        let (total, offset) = (characters.count, whole(operands[1]))
        let first = offset < 0 ? max(0, total + offset) : min(offset, total)
        var last = total
        if operands.count > 2 {
            let count = whole(operands[2])
            last = count < 0 ? max(first, total + count) : min(total, first + count)
        }
        var text = ""
        text.unicodeScalars.append(contentsOf: characters[first..<last])
        return .string(text)
    }

    private func whole(_ value: JSONValue) -> Int {
        let number = number(value)
        return number.isNaN ? 0 : Int(max(-1e9, min(1e9, number)))
    }
}

extension Double {
    /// A number of either kind; 0 for anything else.
    fileprivate init(numeric value: JSONValue) {
        switch value {
        case .integer(let number): self = Double(number)
        case .float(let number): self = number
        default: self = 0
        }
    }
}

extension JSONValue {
    fileprivate var isContainer: Bool { array != nil || object != nil }

    /// The value as text, as JavaScript would write it.
    var scriptText: String {
        switch self {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .integer(let number): String(number)
        case .float(let number): number.scriptText
        case .string(let text): text
        case .object: "[object Object]"
        // As deep as values nest, which is bounded.
        case .array(let elements): elements.map { $0.isNull ? "" : $0.scriptText }.joined(separator: ",")
        }
    }
}
