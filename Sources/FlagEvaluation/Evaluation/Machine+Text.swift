extension Machine {
    /// A value as text, as JavaScript would write it. Null is `null`.
    mutating func text(of value: Value) -> Value {
        switch value.kind {
        case .string: return value
        case .null, .absent, .key, .reference: return Value(literal: "null")
        case .bool: return Value(literal: value.payload != 0 ? "true" : "false")
        case .integer: return copied(String(value.integer))
        case .float: return copied(value.float.scriptText)
        case .object: return Value(literal: "[object Object]")
        case .array:
            var output: [UInt8] = []
            append(value, to: &output)
            return steps < 0 ? .emptyString : copied(output)
        }
    }

    private mutating func copied(_ text: String) -> Value { copied(Array(text.utf8)) }

    private mutating func copied(_ bytes: [UInt8]) -> Value {
        guard let memory = arena.allocate(bytes.count) else {
            steps = -1
            return .emptyString
        }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        return Value(text: UnsafeRawBufferPointer(start: memory, count: bytes.count))
    }

    /// Appends what an element gives within an array's text: null nothing, an array its elements between commas.
    ///
    /// As deep as containers can lie in one another, which is bounded; so is what they write.
    private mutating func append(_ value: Value, to output: inout [UInt8]) {
        guard value.kind == .array, let list = value.node else {
            if value.kind != .null { output.append(contentsOf: text(of: value).text) }
            return
        }
        var isFirst = true
        for node in list.elements {
            steps -= 1
            guard steps >= 0, output.count < 1 << 20 else {
                steps = -1
                return
            }
            if !isFirst { output.append(0x2C) }
            isFirst = false
            append(Value(node), to: &output)
        }
    }

    /// The texts behind one another; null adds nothing.
    mutating func concatenate(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        var total = 0
        for index in 0..<count {
            switch values[index].kind {
            case .string: break
            case .null: values[index] = .emptyString
            default: values[index] = text(of: values[index])
            }
            total += Int(values[index].length)
        }
        guard let memory = arena.allocate(total) else { return exhaust() }
        var position = 0
        for index in 0..<count {
            let length = Int(values[index].length)
            (memory + position).copyMemory(from: values[index].address, byteCount: length)
            position += length
        }
        return Value(text: UnsafeRawBufferPointer(start: memory, count: total))
    }

    /// Part of a text, counted in characters of Unicode; negative numbers count from the end.
    mutating func substring(_ source: Value, from start: Value, count: Value?) -> Value {
        let text = text(of: source).text
        let total = text.reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
        steps -= text.count / 8
        let offset = whole(start)
        let first = offset < 0 ? max(0, total + offset) : min(offset, total)
        var last = total
        if let count {
            let number = whole(count)
            last = number < 0 ? max(first, total + number) : min(total, first + number)
        }
        return Value(
            text: UnsafeRawBufferPointer(rebasing: text[Self.byte(first, in: text)..<Self.byte(last, in: text)]))
    }

    private mutating func whole(_ value: Value) -> Int {
        let number = number(value)
        return number.isNaN ? 0 : Int(max(-1e9, min(1e9, number)))
    }

    /// Where a character begins.
    private static func byte(_ character: Int, in text: UnsafeRawBufferPointer) -> Int {
        var remaining = character
        for (index, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
            if remaining == 0 { return index }
            remaining -= 1
        }
        return text.count
    }
}

extension Value {
    init(literal: StaticString) {
        self.init(text: UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }
}

extension Double {
    /// The number as JavaScript writes it: no fraction when it is whole, exponents only from 1e21 and below 1e-6.
    var scriptText: String {
        guard isFinite else { return isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
        if self == 0 { return "0" }
        let parts = magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        var digits = mantissa[0] + (mantissa.count > 1 ? mantissa[1] : "")
        var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.first == "0" {
            digits.removeFirst()
            point -= 1
        }
        while digits.last == "0" { digits.removeLast() }
        let sign = self < 0 ? "-" : ""
        let count = digits.count
        switch point {
        case count...21 where point >= count: return sign + digits + String(repeating: "0", count: point - count)
        case 1...21: return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0: return sign + "0." + String(repeating: "0", count: -point) + digits
        default:
            let exponent = (point > 0 ? "+" : "-") + String(abs(point - 1))
            return sign + digits.prefix(1) + (count > 1 ? "." + digits.dropFirst() : "") + "e" + exponent
        }
    }
}
