extension JSONScanner {
    /// A number, a truth value or null, or why it is none.
    struct Scalar {
        var kind = ValueKind.null
        var payload: UInt64 = 0
        /// Behind the value, or at the fault.
        var cursor: UnsafeMutablePointer<UInt8>
        var problem: JSONError.Code?
        var message: StaticString = "A value was expected."
    }

    /// Reads what is neither text nor container.
    @inline(__always)
    static func scanScalar(_ start: UnsafeMutablePointer<UInt8>) -> Scalar {
        switch start.pointee {
        case 0x74: return scanWord(start, "true", .bool, 1)
        case 0x66: return scanWord(start, "false", .bool, 0)
        case 0x6E: return scanWord(start, "null", .null, 0)
        default: break
        }
        // A short integer is a number that needs no further thought.
        var cursor = start
        var value: UInt64 = 0
        while case let digit = cursor.pointee &- 0x30, digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            cursor += 1
        }
        let count = cursor - start
        if count > 0, count < 19, count == 1 || start.pointee != 0x30, cursor.pointee != 0x2E,
            cursor.pointee | 0x20 != 0x65
        {
            return Scalar(kind: .integer, payload: value, cursor: cursor)
        }
        return scanNumber(start)
    }

    @inline(__always)
    private static func scanWord(
        _ start: UnsafeMutablePointer<UInt8>, _ word: StaticString, _ kind: ValueKind, _ payload: UInt64
    ) -> Scalar {
        for position in 0..<word.utf8CodeUnitCount where start[position] != word.utf8Start[position] {
            return Scalar(cursor: start + position, problem: .malformed)
        }
        return Scalar(kind: kind, payload: payload, cursor: start + word.utf8CodeUnitCount)
    }

    /// Reads a number: an integer when it has neither fraction nor exponent.
    @inline(never)
    private static func scanNumber(_ start: UnsafeMutablePointer<UInt8>) -> Scalar {
        var scalar = Scalar(cursor: start)
        let isNegative = start.pointee == 0x2D
        if isNegative { scalar.cursor += 1 }
        let firstDigit = scalar.cursor
        var significand: UInt64 = 0
        let digits = scanDigits(&scalar.cursor, into: &significand)
        guard digits > 0, digits == 1 || firstDigit.pointee != 0x30 else {
            return scalar.with(.malformed, digits > 0 ? "A number does not begin with 0." : "A value was expected.")
        }
        if scalar.cursor.pointee != 0x2E, scalar.cursor.pointee | 0x20 != 0x65 {
            guard digits < 19 || fits(firstDigit, digits, isNegative) else {
                return scalar.with(.numberOutOfRange, "An integer beyond 64 bits.")
            }
            scalar.kind = .integer
            scalar.payload = isNegative ? 0 &- significand : significand
            return scalar
        }
        var count = digits
        var exponent = 0
        if scalar.cursor.pointee == 0x2E {
            scalar.cursor += 1
            let fraction = scanDigits(&scalar.cursor, into: &significand)
            guard fraction > 0 else { return scalar.with(.malformed, "A digit was expected.") }
            exponent = -fraction
            count += fraction
        }
        if scalar.cursor.pointee | 0x20 == 0x65 {
            scalar.cursor += 1
            let isSmall = scalar.cursor.pointee == 0x2D
            if isSmall || scalar.cursor.pointee == 0x2B { scalar.cursor += 1 }
            var magnitude: UInt64 = 0
            let length = scanDigits(&scalar.cursor, into: &magnitude)
            guard length > 0 else { return scalar.with(.malformed, "A digit was expected.") }
            // Beyond what the exact way below takes, only that it is beyond counts.
            let bounded = length > 4 ? 100_000 : Int(truncatingIfNeeded: magnitude)
            exponent += isSmall ? -bounded : bounded
        }
        let isExact = count < 19
        guard let value = float(significand, exponent, isNegative, isExact: isExact, start, scalar.cursor - start)
        else { return scalar.with(.numberOutOfRange, "A number beyond what a 64-bit float can hold.") }
        scalar.kind = .float
        scalar.payload = value.bitPattern
        return scalar
    }

    /// Reads digits, each shifted into the significand, and counts them. Nineteen and more may have wrapped it.
    @inline(__always)
    private static func scanDigits(
        _ cursor: inout UnsafeMutablePointer<UInt8>, into significand: inout UInt64
    ) -> Int {
        let start = cursor
        while case let digit = cursor.pointee &- 0x30, digit < 10 {
            significand = significand &* 10 &+ UInt64(digit)
            cursor += 1
        }
        return cursor - start
    }

    /// Whether a number of nineteen digits or more is within 64 bits.
    @inline(never)
    private static func fits(_ digits: UnsafeMutablePointer<UInt8>, _ count: Int, _ isNegative: Bool) -> Bool {
        guard count == 19 else { return false }
        var value: UInt64 = 0
        for position in 0..<count { value = value &* 10 &+ UInt64(digits[position] &- 0x30) }
        return value <= UInt64(Int64.max) + (isNegative ? 1 : 0)
    }

    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest float; nil when there is none. A significand below 2⁵³ and a power of ten up to 10²² are exact, so
    /// their product is correctly rounded; everything else goes to the standard library.
    @inline(never)
    private static func float(
        _ significand: UInt64, _ exponent: Int, _ isNegative: Bool, isExact: Bool,
        _ start: UnsafeMutablePointer<UInt8>, _ count: Int
    ) -> Double? {
        if isExact, significand < 1 << 53, exponent >= -22, exponent <= 22 {
            let magnitude = Double(significand)
            let value = exponent < 0 ? magnitude / powersOfTen[-exponent] : magnitude * powersOfTen[exponent]
            return isNegative ? -value : value
        }
        guard let value = Double(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)),
            value.isFinite
        else { return nil }
        return value
    }
}

extension JSONScanner.Scalar {
    fileprivate func with(_ problem: JSONError.Code, _ message: StaticString) -> JSONScanner.Scalar {
        var scalar = self
        (scalar.problem, scalar.message) = (problem, message)
        return scalar
    }
}
