#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Machine {
    /// Whether a value is a text; anything else that `==` could equal it to is looked at elsewhere.
    @inline(__always)
    mutating func isText(_ test: Test, _ left: Value, _ text: Value) -> Bool {
        left.kind == .string ? left.isSameText(as: text) : holds(test, left, text)
    }

    /// Whether a test against a whole number holds.
    @inline(__always)
    mutating func holds(_ test: Test, _ left: Value, integer right: Value) -> Bool {
        guard left.kind == .integer else { return holds(test, left, right) }
        return switch test {
        case .equal, .strictlyEqual: left.integer == right.integer
        case .notEqual, .strictlyNotEqual: left.integer != right.integer
        case .less: left.integer < right.integer
        case .lessOrEqual: left.integer <= right.integer
        case .greater: left.integer > right.integer
        case .greaterOrEqual: left.integer >= right.integer
        default: false
        }
    }

    /// Whether a value is in a list of literals.
    @inline(__always)
    static func isMember(_ value: Value, of list: MemberList, in table: UnsafeMutablePointer<Value>) -> Bool {
        let members = table + Int(list.first)
        guard list.count <= MemberList.largestSearched else { return isMember(value, ofTable: members, list.count) }
        guard value.kind == .string else {
            for index in 0..<Int(list.count) where isStrictlyEqual(value, members[index]) { return true }
            return false
        }
        for index in 0..<Int(list.count)
        where members[index].kind == .string && members[index].isSameText(as: value) {
            return true
        }
        return false
    }

    @inline(never)
    private static func isMember(_ value: Value, ofTable places: UnsafeMutablePointer<Value>, _ count: Int32) -> Bool {
        let mask = Int(count) - 1
        var place = Int(value.hash) & mask
        while places[place].kind != .absent {
            if isStrictlyEqual(value, places[place]) { return true }
            place = (place &+ 1) & mask
        }
        return false
    }

    /// Whether a test holds.
    @inline(never)
    mutating func holds(_ test: Test, _ left: Value, _ right: Value) -> Bool {
        switch test {
        case .equal: return isEqual(left, right)
        case .notEqual: return !isEqual(left, right)
        case .strictlyEqual: return isSame(left, right)
        case .strictlyNotEqual: return !isSame(left, right)
        case .less: return isLess(left, right, orEqual: false)
        case .lessOrEqual: return isLess(left, right, orEqual: true)
        case .greater: return isLess(right, left, orEqual: false)
        case .greaterOrEqual: return isLess(right, left, orEqual: true)
        case .contains: return contains(left, in: right)
        case .startsWith: return Self.affix(left, right, atEnd: false).payload != 0
        case .endsWith: return Self.affix(left, right, atEnd: true).payload != 0
        default: return false
        }
    }

    /// Whether a version test against a version that is known holds.
    @inline(__always)
    static func holds(_ test: Test, _ left: Value, version right: SemanticVersion) -> Bool {
        guard left.isString else { return holdsForNumber(test, left, right) }
        guard let version = SemanticVersion(left.text) else { return false }
        return test.holds(version, right)
    }

    @inline(never)
    private static func holdsForNumber(_ test: Test, _ left: Value, _ right: SemanticVersion) -> Bool {
        withVersion(left) { version in test.holds(version, right) } ?? false
    }

    /// `sem_ver` of values; null when it makes no sense.
    static func semanticVersion(_ left: Value, _ sign: Value, _ right: Value) -> Value {
        guard sign.isString, let test = Test(sign: sign.text) else { return .null }
        let holds = withVersion(left) { left in withVersion(right) { right in test.holds(left, right) } }
        return (holds ?? nil).map { Value($0) } ?? .null
    }

    /// Reads a version from a text or a number.
    private static func withVersion<Result>(_ value: Value, _ body: (SemanticVersion) -> Result) -> Result? {
        if value.isString { return SemanticVersion(value.text).map(body) }
        var text: String
        switch value.kind {
        case .integer: text = String(value.integer)
        case .float: text = value.float.description
        default: return nil
        }
        return text.withUTF8 { SemanticVersion(UnsafeRawBufferPointer($0)).map(body) }
    }

    /// `starts_with` and `ends_with`: null unless both are texts.
    static func affix(_ text: Value, _ affix: Value, atEnd: Bool) -> Value {
        guard text.isString, affix.isString else { return .null }
        guard affix.length <= text.length else { return .false }
        let start = text.address + (atEnd ? Int(text.length - affix.length) : 0)
        return Value(sameBytes(start, affix.address, Int(affix.length)))
    }

    /// JavaScript's `==`, but that containers are equal when their contents are.
    mutating func isEqual(_ left: Value, _ right: Value) -> Bool {
        if left.isEmptiness || right.isEmptiness { return left.isEmptiness && right.isEmptiness }
        if left.isContainer, right.isContainer { return isSame(left, right) }
        if left.isString || left.isContainer, right.isString || right.isContainer {
            return text(of: left).isSameText(as: text(of: right))
        }
        if left.kind == .integer, right.kind == .integer { return left.integer == right.integer }
        return number(left) == number(right)
    }

    /// JavaScript's `===` of scalars; false when one is a container.
    static func isStrictlyEqual(_ left: Value, _ right: Value) -> Bool {
        if left.isEmptiness || right.isEmptiness { return left.isEmptiness && right.isEmptiness }
        switch (left.kind, right.kind) {
        case (.string, .string): return left.isSameText(as: right)
        case (.integer, .integer): return left.payload == right.payload
        case (.integer, .float), (.float, .integer), (.float, .float): return left.asDouble == right.asDouble
        case (.bool, .bool): return left.payload == right.payload
        default: return false
        }
    }

    /// The same, and containers are equal when their contents are, whatever the order of members.
    ///
    /// As deep as containers can lie in one another, which is bounded.
    mutating func isSame(_ left: Value, _ right: Value) -> Bool {
        guard let leftNode = left.node, let rightNode = right.node else { return Self.isStrictlyEqual(left, right) }
        steps -= 1
        guard steps >= 0, left.kind == right.kind, left.length == right.length else { return false }
        if leftNode == rightNode { return true }
        if left.kind == .array {
            for (left, right) in zip(leftNode.elements, rightNode.elements)
            where !isSame(Value(left), Value(right)) {
                return false
            }
            return true
        }
        for member in leftNode.members {
            let key = (member - 1).pointee
            guard let other = rightNode.member(key.address, Int(key.length)) else { return false }
            if !isSame(Value(member), Value(other)) { return false }
        }
        return true
    }

    /// JavaScript's `<` and `<=`: two texts by their bytes, everything else by number.
    mutating func isLess(_ left: Value, _ right: Value, orEqual: Bool) -> Bool {
        let left = left.isContainer ? text(of: left) : left
        let right = right.isContainer ? text(of: right) : right
        if left.isString, right.isString {
            let shared = Int(min(left.length, right.length))
            let order = memcmp(left.address, right.address, shared)
            if order != 0 { return order < 0 }
            return orEqual ? left.length <= right.length : left.length < right.length
        }
        return orEqual ? number(left) <= number(right) : number(left) < number(right)
    }

    /// Whether an array has the element, or a text the part.
    mutating func contains(_ needle: Value, in haystack: Value) -> Bool {
        switch haystack.kind {
        case .array:
            guard let list = haystack.node else { return false }
            steps -= Int(haystack.length) / 4
            var node = list + 1
            for _ in 0..<haystack.length {
                if isSame(needle, Value(node)) { return true }
                node += Int(node.pointee.span)
            }
            return false
        case .string: return contains(text: text(of: needle), in: haystack)
        default: return false
        }
    }

    /// Searches by first byte; steps pay for what a hostile text can cost.
    private mutating func contains(text needle: Value, in haystack: Value) -> Bool {
        guard needle.length > 0 else { return true }
        guard needle.length <= haystack.length else { return false }
        var start = haystack.address
        var candidates = Int(haystack.length - needle.length) + 1
        let first = Int32(needle.address.load(as: UInt8.self))
        steps -= candidates / 16
        while candidates > 0, steps >= 0, let found = memchr(start, first, candidates) {
            let found = UnsafeRawPointer(found)
            if memcmp(found, needle.address, Int(needle.length)) == 0 { return true }
            steps -= Int(needle.length) / 64
            candidates -= found - start + 1
            start = found + 1
        }
        return false
    }
}

extension Value {
    /// Null, or nothing at all.
    @inline(__always)
    var isEmptiness: Bool { kind == .null || kind == .absent }
}
