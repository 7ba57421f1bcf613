extension JSONValue {
    /// Appends the value as compact JSON, members in their own order.
    public func write(to output: inout [UInt8]) {
        var writer = JSONWriter(style: .compact)
        swap(&writer.output, &output)
        writer.write(self)
        swap(&writer.output, &output)
    }

    /// The value as compact JSON text.
    public var jsonText: String { text(.compact) }

    /// The value as indented JSON text (two spaces), for people.
    public var prettyJSONText: String { text(.pretty) }

    /// The value as compact JSON with members sorted by the UTF-8 of their keys: equal values give equal bytes.
    public var canonicalJSON: [UInt8] {
        var writer = JSONWriter(style: .canonical)
        writer.write(self)
        return writer.output
    }

    private func text(_ style: JSONWriter.Style) -> String {
        var writer = JSONWriter(style: style)
        writer.write(self)
        return String(decoding: writer.output, as: UTF8.self)
    }
}

/// Writes values as text, without recursion.
struct JSONWriter {
    enum Style { case compact, pretty, canonical }

    let style: Style
    var output: [UInt8] = []

    init(style: Style) { self.style = style }

    /// A container that is being written, and what is still to come of it.
    private struct Open {
        let isObject: Bool
        let elements: [JSONValue]
        let members: [(key: String, value: JSONValue)]
        var next = 0
        var count: Int { isObject ? members.count : elements.count }
    }

    mutating func write(_ root: JSONValue) {
        var open: [Open] = []
        begin(root, &open)
        while var container = open.popLast() {
            guard container.next < container.count else {
                if container.count > 0 { breakLine(open.count) }
                output.append(container.isObject ? 0x7D : 0x5D)
                continue
            }
            if container.next > 0 { output.append(0x2C) }
            breakLine(open.count + 1)
            let value: JSONValue
            if container.isObject {
                let member = container.members[container.next]
                write(text: member.key)
                output.append(0x3A)
                if style == .pretty { output.append(0x20) }
                value = member.value
            } else {
                value = container.elements[container.next]
            }
            container.next += 1
            open.append(container)
            begin(value, &open)
        }
    }

    private mutating func begin(_ value: JSONValue, _ open: inout [Open]) {
        switch value {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        // JSON has no word for the others; only a value made in a program can hold one.
        case .float(let value): output.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): write(text: value)
        case .array(let elements):
            output.append(0x5B)
            open.append(Open(isObject: false, elements: elements, members: []))
        case .object(let object):
            output.append(0x7B)
            open.append(Open(isObject: true, elements: [], members: ordered(object)))
        }
    }

    private func ordered(_ object: JSONObject) -> [(key: String, value: JSONValue)] {
        guard style == .canonical else { return object.entries }
        return object.entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    private mutating func breakLine(_ depth: Int) {
        guard style == .pretty else { return }
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }

    /// What need not be escaped is written in one piece.
    private mutating func write(text: String) {
        output.append(0x22)
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                write(escaped: byte)
                start = index + 1
            }
            output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        output.append(0x22)
    }

    private mutating func write(escaped byte: UInt8) {
        switch byte {
        case 0x22, 0x5C: output.append(contentsOf: [0x5C, byte])
        case 0x0A: output.append(contentsOf: [0x5C, 0x6E])
        case 0x0D: output.append(contentsOf: [0x5C, 0x72])
        case 0x09: output.append(contentsOf: [0x5C, 0x74])
        default:
            let digits = Array("0123456789abcdef".utf8)
            output.append(contentsOf: "\\u00".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
    }
}
