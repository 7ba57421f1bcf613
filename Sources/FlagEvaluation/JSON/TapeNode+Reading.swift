#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TapeNode {
    var isContainer: Bool { kind == .array || kind == .object }

    /// The UTF-8 of a string or a key.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: address, count: Int(length)) }

    /// The text of a string or a key.
    var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension UnsafeMutablePointer<TapeNode> {
    /// The value of the member of that name, when this is an object that has it.
    @inline(__always)
    func member(_ name: UnsafeRawBufferPointer) -> Self? {
        guard let start = name.baseAddress else { return member(emptyText, 0) }
        return member(start, name.count)
    }

    /// The value of the member whose name is that text.
    func member(_ name: UnsafeRawPointer, _ count: Int) -> Self? {
        guard pointee.kind == .object else { return nil }
        let mark = fingerprint(of: name, count: count)
        var key = self + 1
        for _ in 0..<pointee.length {
            if key.pointee.span == mark, Int(key.pointee.length) == count,
                memcmp(key.pointee.address, name, count) == 0
            {
                return key + 1
            }
            key += 1 + Int(key[1].span)
        }
        return nil
    }

    /// The elements of an array; one that stands for a container elsewhere is followed by the reader.
    var elements: some Sequence<Self> {
        sequence(state: (self + 1, pointee.length)) { state -> Self? in
            guard state.1 > 0 else { return nil }
            let element = state.0
            state = (element + Int(element.pointee.span), state.1 - 1)
            return element
        }
    }

    /// The values of an object's members; the key stands before each.
    var members: some Sequence<Self> {
        sequence(state: (self + 1, pointee.length)) { state -> Self? in
            guard state.1 > 0 else { return nil }
            let value = state.0 + 1
            state = (value + Int(value.pointee.span), state.1 - 1)
            return value
        }
    }
}

extension JSONValue {
    /// A node of a document and all below it; nil when two keys of an object are the same text.
    ///
    /// Containers are finished at their last element and then belong to the one around them: no recursion.
    init?(_ root: UnsafeMutablePointer<TapeNode>) {
        var open: [Unfinished] = []
        var node = root
        while true {
            let record = node.pointee
            node += 1
            if record.kind == .key {
                open[open.count - 1].keys.append(record.text)
                continue
            }
            var finished: JSONValue
            if record.isContainer {
                let container = Unfinished(isObject: record.kind == .object, remaining: record.length)
                if record.length > 0 {
                    open.append(container)
                    continue
                }
                finished = container.isObject ? .object(JSONObject()) : .array([])
            } else {
                finished = JSONValue(scalar: record)
            }
            while var container = open.popLast() {
                container.values.append(finished)
                container.remaining -= 1
                if container.remaining > 0 {
                    open.append(container)
                    break
                }
                guard let value = container.value else { return nil }
                finished = value
            }
            if open.isEmpty {
                self = finished
                return
            }
        }
    }

    private struct Unfinished {
        let isObject: Bool
        var remaining: UInt32
        var keys: [String] = []
        var values: [JSONValue] = []

        init(isObject: Bool, remaining: UInt32) {
            self.isObject = isObject
            self.remaining = remaining
        }

        var value: JSONValue? {
            guard isObject else { return .array(values) }
            return JSONObject(unique: zip(keys, values)).map { .object($0) }
        }
    }

    init(scalar record: TapeNode) {
        switch record.kind {
        case .bool: self = .bool(record.payload != 0)
        case .integer: self = .integer(Int64(bitPattern: record.payload))
        case .float: self = .float(Double(bitPattern: record.payload))
        case .string: self = .string(record.text)
        default: self = .null
        }
    }
}
