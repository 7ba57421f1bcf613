#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Machine {
    private static let injected: StaticString = "$flagd"
    private static let flagKeyName: StaticString = "flagKey"
    private static let timestampName: StaticString = "timestamp"

    /// Whether a path leads into what the evaluator adds to the context; a context's own `$flagd` is never read.
    static func isInjected(_ path: UnsafeRawBufferPointer) -> Bool {
        path.starts(with: Self.injected) && (path.count == 6 || path[6] == 0x2E)
    }

    /// What lies at a path of the context.
    mutating func rootValue(at path: UnsafeRawBufferPointer) -> Value {
        guard Self.isInjected(path) else {
            return replacements == nil ? Self.value(at: path, in: root) : replacedValue(at: path)
        }
        guard path.count > 6 else {
            return object([(Value(literal: Self.flagKeyName), flagKey), (Value(literal: Self.timestampName), now)])
        }
        let rest = UnsafeRawBufferPointer(rebasing: path[7...])
        if rest.equals(Self.flagKeyName) { return flagKey }
        if rest.equals(Self.timestampName) { return now }
        return .absent
    }

    /// What lies at a path of a context in which values count instead of members.
    @inline(never)
    private mutating func replacedValue(at path: UnsafeRawBufferPointer) -> Value {
        guard let replacements else { return .absent }
        guard let base = path.baseAddress, !path.isEmpty else { return replacedRoot() }
        let count = path.firstIndex(of: 0x2E) ?? path.count
        let name = Value(text: UnsafeRawBufferPointer(start: base, count: count))
        let value: Value
        if name.isSameText(as: Value(literal: Replacements.targetingKey)) {
            value = replacements.targetingKey
        } else if name.isSameText(as: replacements.name) {
            value = replacements.attribute
        } else {
            return Self.value(at: path, in: root)
        }
        guard count < path.count else { return value }
        return Self.value(at: UnsafeRawBufferPointer(rebasing: path[(count + 1)...]), in: value)
    }

    /// The root as an object with the values that count instead of members.
    private mutating func replacedRoot() -> Value {
        guard let replacements else { return root }
        var members = [
            (Value(literal: Replacements.targetingKey), replacements.targetingKey),
            (replacements.name, replacements.attribute),
        ]
        if root.kind == .object, let node = root.node {
            steps -= Int(root.length)
            for member in node.members {
                let name = Value(text: (member - 1).pointee.bytes)
                if !members[0].0.isSameText(as: name), !members[1].0.isSameText(as: name) {
                    members.append((name, Value(member)))
                }
            }
        }
        return object(members)
    }

    /// What lies at a path from a value: names and indices between dots; nothing at all means the value itself.
    static func value(at path: UnsafeRawBufferPointer, in start: Value) -> Value {
        guard let base = path.baseAddress, !path.isEmpty else { return start }
        var value = start
        var position = 0
        while true {
            var stop = position
            while stop < path.count, path[stop] != 0x2E { stop += 1 }
            guard let node = value.node else { return .absent }
            let step = UnsafeRawBufferPointer(start: base + position, count: stop - position)
            guard let next = value.kind == .object ? node.member(step) : element(step, of: node) else {
                return .absent
            }
            value = Value(next)
            guard stop < path.count else { return value }
            position = stop + 1
        }
    }

    private static func element(
        _ index: UnsafeRawBufferPointer, of array: UnsafeMutablePointer<TapeNode>
    ) -> UnsafeMutablePointer<TapeNode>? {
        guard !index.isEmpty, index.count <= 9 else { return nil }
        var number: UInt32 = 0
        for byte in index {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + UInt32(byte - 0x30)
        }
        guard number < array.pointee.length else { return nil }
        var element = array + 1
        for _ in 0..<number { element += Int(element.pointee.span) }
        return element
    }

    /// What lies at a path that a rule worked out, from the context or from the element of a loop.
    mutating func value(atPath path: Value, isElement: Bool) -> Value {
        let text = path.kind == .null ? UnsafeRawBufferPointer(start: nil, count: 0) : self.text(of: path).text
        return isElement ? Self.value(at: text, in: element) : rootValue(at: text)
    }

    /// The names among those given that lead to nothing, to null or to an empty text.
    mutating func missing(_ names: UnsafeMutablePointer<Value>, _ count: Int, isElement: Bool) -> Value {
        guard count > 0 else { return array(names, 0) }
        guard names[0].kind != .array else { return missing(in: names[0], isElement: isElement) }
        var missing = 0
        for index in 0..<count where isMissing(names[index], isElement) {
            names[missing] = names[index]
            missing += 1
        }
        return array(names, missing)
    }

    private mutating func missing(in names: Value, isElement: Bool) -> Value {
        guard let list = names.node, let output = arena.allocateNodes(Int(names.length) + 1) else {
            return exhaust()
        }
        steps -= Int(names.length)
        var missing = 0
        for node in list.elements where isMissing(Value(node), isElement) {
            output[missing + 1] = TapeNode(holding: Value(node))
            missing += 1
        }
        output[0] = TapeNode(.array, count: missing, span: missing + 1, depth: 1)
        return Value(output)
    }

    private mutating func isMissing(_ name: Value, _ isElement: Bool) -> Bool {
        let value = value(atPath: name, isElement: isElement)
        return value.kind == .null || value.kind == .absent || (value.isString && value.length == 0)
    }

    /// `missing`, unless at least so many of the names are there.
    mutating func missing(unless needed: Value, of names: Value, isElement: Bool) -> Value {
        guard names.kind == .array else { return array(stack, 0) }
        let missing = missing(in: names, isElement: isElement)
        let present = Double(names.length) - Double(missing.length)
        return present >= number(needed) ? array(stack, 0) : missing
    }
}

extension UnsafeRawBufferPointer {
    func starts(with prefix: StaticString) -> Bool {
        guard let baseAddress, count >= prefix.utf8CodeUnitCount else { return false }
        return memcmp(baseAddress, prefix.utf8Start, prefix.utf8CodeUnitCount) == 0
    }

    func equals(_ text: StaticString) -> Bool { count == text.utf8CodeUnitCount && starts(with: text) }
}
