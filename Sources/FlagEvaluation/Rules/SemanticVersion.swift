#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Test {
    /// How `sem_ver` is asked to compare; nil for a sign that it does not know.
    init?(sign: String) {
        var sign = sign
        guard let test = sign.withUTF8({ Test(sign: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = test
    }

    init?(sign: UnsafeRawBufferPointer) {
        let second: UInt8 = sign.count == 2 ? sign[1] : 0
        guard (1...2).contains(sign.count), sign.count == 1 || second == 0x3D else { return nil }
        switch (sign[0], second) {
        case (0x3D, 0): self = .versionEqual
        case (0x21, 0x3D): self = .versionNotEqual
        case (0x3E, 0): self = .versionGreater
        case (0x3C, 0): self = .versionLess
        case (0x3E, 0x3D): self = .versionGreaterOrEqual
        case (0x3C, 0x3D): self = .versionLessOrEqual
        case (0x7E, 0): self = .versionSameMinor
        case (0x5E, 0): self = .versionSameMajor
        default: return nil
        }
    }

    @inline(__always)
    func holds(_ left: SemanticVersion, _ right: SemanticVersion) -> Bool {
        switch self {
        case .versionSameMajor: left.major == right.major
        case .versionSameMinor: left.major == right.major && left.minor == right.minor
        case .versionEqual: left.order(to: right) == 0
        case .versionNotEqual: left.order(to: right) != 0
        case .versionGreater: left.order(to: right) > 0
        case .versionLess: left.order(to: right) < 0
        case .versionGreaterOrEqual: left.order(to: right) >= 0
        case .versionLessOrEqual: left.order(to: right) <= 0
        default: false
        }
    }
}

/// A version of Semantic Versioning 2.0.0, with flagd's liberties: a leading v, and missing parts that count as 0.
struct SemanticVersion {
    private(set) var major: UInt64 = 0
    private(set) var minor: UInt64 = 0
    private(set) var patch: UInt64 = 0
    /// Lies in the text that was read.
    private var prerelease = UnsafeRawBufferPointer(start: nil, count: 0)

    /// 0.0.0.
    init() {}

    /// Reads a version, or gives nil. The text must outlive it.
    init?(_ text: UnsafeRawBufferPointer) {
        var position = 0
        if let first = text.first, first | 0x20 == 0x76 { position = 1 }
        guard let major = Self.number(in: text, &position) else { return nil }
        self.major = major
        if position < text.count, text[position] == 0x2E {
            position += 1
            guard let minor = Self.number(in: text, &position) else { return nil }
            self.minor = minor
            if position < text.count, text[position] == 0x2E {
                position += 1
                guard let patch = Self.number(in: text, &position) else { return nil }
                self.patch = patch
            }
        }
        if position < text.count, text[position] == 0x2D {
            let start = position + 1
            guard Self.skipIdentifiers(in: text, &position, allowsLeadingZero: false) else { return nil }
            prerelease = UnsafeRawBufferPointer(rebasing: text[start..<position])
        }
        if position < text.count, text[position] == 0x2B {
            guard Self.skipIdentifiers(in: text, &position, allowsLeadingZero: true) else { return nil }
        }
        guard position == text.count else { return nil }
    }

    /// Whether a literal argument of `sem_ver` is a version.
    static func isValid(_ value: JSONValue) -> Bool {
        switch value {
        case .string(var text): text.withUTF8 { SemanticVersion(UnsafeRawBufferPointer($0)) != nil }
        case .integer(let value): value >= 0
        case .float(let value): isValid(.string(value.description))
        default: false
        }
    }

    /// A number without leading zeros, of nineteen digits at most.
    private static func number(in text: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64? {
        let start = position
        var value: UInt64 = 0
        while position < text.count, case let digit = text[position] &- 0x30, digit < 10 {
            value = value &* 10 &+ UInt64(digit)
            position &+= 1
        }
        let digits = position &- start
        guard digits > 0, digits < 20, digits == 1 || text[start] != 0x30 else { return nil }
        return value
    }

    /// Steps over a sign and the identifiers behind it, which are not empty and separated by dots.
    private static func skipIdentifiers(
        in text: UnsafeRawBufferPointer, _ position: inout Int, allowsLeadingZero: Bool
    ) -> Bool {
        repeat {
            position += 1
            let start = position
            var isNumeric = true
            while position < text.count, isIdentifier(text[position]) {
                isNumeric = isNumeric && text[position] <= 0x39 && text[position] != 0x2D
                position += 1
            }
            let length = position - start
            guard length > 0 else { return false }
            if isNumeric, length > 1, text[start] == 0x30, !allowsLeadingZero { return false }
        } while position < text.count && text[position] == 0x2E
        return true
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2D, 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// Negative when this comes before the other, 0 when neither does; build metadata does not count.
    @inline(__always)
    func order(to other: SemanticVersion) -> Int {
        if major != other.major { return major < other.major ? -1 : 1 }
        if minor != other.minor { return minor < other.minor ? -1 : 1 }
        if patch != other.patch { return patch < other.patch ? -1 : 1 }
        if prerelease.isEmpty || other.prerelease.isEmpty {
            return (prerelease.isEmpty ? 1 : 0) - (other.prerelease.isEmpty ? 1 : 0)
        }
        return Self.order(prerelease, other.prerelease)
    }

    /// Identifier by identifier: numbers by value and before words, words by ASCII, fewer before more.
    private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let lefts = left.split(separator: 0x2E)
        let rights = right.split(separator: 0x2E)
        for (left, right) in zip(lefts, rights) {
            let isLeftNumber = left.allSatisfy { (0x30...0x39).contains($0) }
            let isRightNumber = right.allSatisfy { (0x30...0x39).contains($0) }
            if isLeftNumber != isRightNumber { return isLeftNumber ? -1 : 1 }
            // Numbers have no leading zeros, so the longer is the larger.
            if isLeftNumber, left.count != right.count { return left.count < right.count ? -1 : 1 }
            if left.elementsEqual(right) { continue }
            return left.lexicographicallyPrecedes(right) ? -1 : 1
        }
        return lefts.count - rights.count
    }
}
