extension Machine {
    /// A value as a number, as JavaScript would read it; not a number when it is none.
    mutating func number(_ value: Value) -> Double {
        let numeric = numeric(value)
        return numeric.kind == .integer ? Double(numeric.integer) : numeric.float
    }

    /// The same, whole numbers kept apart.
    mutating func numeric(_ value: Value) -> Value {
        switch value.kind {
        case .integer, .float: value
        case .null, .absent, .key, .reference: Value(Int64(0))
        case .bool: Value(Int64(value.payload != 0 ? 1 : 0))
        case .string: Value(numberIn: value.text)
        case .array, .object: Value(numberIn: text(of: value).text)
        }
    }

    mutating func sum(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        fold(values, count, from: 0, { $0.addingReportingOverflow($1) }, +)
    }

    mutating func product(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        fold(values, count, from: 1, { $0.multipliedReportingOverflow(by: $1) }, *)
    }

    /// Stays with whole numbers as long as they fit.
    private mutating func fold(
        _ values: UnsafeMutablePointer<Value>, _ count: Int, from start: Int64,
        _ whole: (Int64, Int64) -> (partialValue: Int64, overflow: Bool), _ floating: (Double, Double) -> Double
    ) -> Value {
        var result = Value(start)
        for index in 0..<count { result = Self.combine(result, numeric(values[index]), whole, floating) }
        return result
    }

    private static func combine(
        _ left: Value, _ right: Value, _ whole: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
        _ floating: (Double, Double) -> Double
    ) -> Value {
        if left.kind == .integer, right.kind == .integer {
            let (result, overflow) = whole(left.integer, right.integer)
            if !overflow { return Value(result) }
        }
        return Value(floating(left.asDouble, right.asDouble))
    }

    mutating func difference(_ values: UnsafeMutablePointer<Value>, _ count: Int) -> Value {
        let first = numeric(values[0])
        guard count > 1 else {
            return Self.combine(Value(Int64(0)), first, { $0.subtractingReportingOverflow($1) }, -)
        }
        return Self.combine(first, numeric(values[1]), { $0.subtractingReportingOverflow($1) }, -)
    }

    mutating func quotient(_ dividend: Value, _ divisor: Value) -> Value {
        Self.combine(
            numeric(dividend), numeric(divisor),
            { left, right in
                let (quotient, overflow) = left.dividedReportingOverflow(by: right)
                return (quotient, overflow || left.remainderReportingOverflow(dividingBy: right).partialValue != 0)
            }, /)
    }

    mutating func remainder(_ dividend: Value, _ divisor: Value) -> Value {
        Self.combine(
            numeric(dividend), numeric(divisor), { $0.remainderReportingOverflow(dividingBy: $1) },
            { $0.truncatingRemainder(dividingBy: $1) })
    }

    /// The smallest or largest; not a number if one is none. Of nothing there is none.
    mutating func extreme(_ values: UnsafeMutablePointer<Value>, _ count: Int, isLargest: Bool) -> Value {
        guard count > 0 else { return .null }
        var result = numeric(values[0])
        for index in 1..<max(count, 1) {
            let next = numeric(values[index])
            let (left, right) = (result.asDouble, next.asDouble)
            if right.isNaN || (isLargest ? right > left : right < left) { result = next }
        }
        return result
    }
}

extension Value {
    @inline(__always)
    var asDouble: Double { kind == .integer ? Double(integer) : float }

    /// The number that a text is, spaces around it aside; 0 for nothing, not a number for anything else.
    init(numberIn text: UnsafeRawBufferPointer) {
        var slice = text[...]
        while let first = slice.first, first == 0x20 || (0x09...0x0D).contains(first) { slice.removeFirst() }
        while let last = slice.last, last == 0x20 || (0x09...0x0D).contains(last) { slice.removeLast() }
        guard let first = slice.first else {
            self.init(Int64(0))
            return
        }
        var magnitude: Int64 = 0
        let digits = first == 0x2D || first == 0x2B ? slice.dropFirst() : slice
        if (1...18).contains(digits.count), digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
            for digit in digits { magnitude = magnitude * 10 + Int64(digit - 0x30) }
            self.init(first == 0x2D ? -magnitude : magnitude)
            return
        }
        // What Double reads beyond JavaScript's numbers are words and hexadecimal fractions.
        let isPlain = slice.allSatisfy { byte in
            switch byte {
            case 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x45, 0x65: true
            default: false
            }
        }
        self.init((isPlain ? Double(String(decoding: slice, as: UTF8.self)) : nil) ?? .nan)
    }
}
