#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A value while a rule runs: sixteen bytes, nothing to count or to free.
///
/// Text and containers are addresses in the context's document, in the constants of the flag set, or in the arena of
/// the evaluation; all three outlive it.
struct Value {
    /// What `TapeNode.payload` is, except that a container is the address of its node.
    var payload: UInt64
    /// A string's bytes; a container's members or elements.
    var length: UInt32
    var kind: ValueKind

    static let null = Value(payload: 0, length: 0, kind: .null)
    static let absent = Value(payload: 0, length: 0, kind: .absent)
    static let `true` = Value(payload: 1, length: 0, kind: .bool)
    static let `false` = Value(payload: 0, length: 0, kind: .bool)
    static let emptyString = Value(text: UnsafeRawBufferPointer(start: emptyText, count: 0))

    @inline(__always)
    init(payload: UInt64, length: UInt32, kind: ValueKind) {
        self.payload = payload
        self.length = length
        self.kind = kind
    }

    @inline(__always)
    init(_ value: Bool) { self = value ? .true : .false }

    @inline(__always)
    init(_ value: Int64) { self.init(payload: UInt64(bitPattern: value), length: 0, kind: .integer) }

    @inline(__always)
    init(_ value: Double) { self.init(payload: value.bitPattern, length: 0, kind: .float) }

    @inline(__always)
    init(text: UnsafeRawBufferPointer) {
        let start = text.baseAddress ?? emptyText
        self.init(
            payload: UInt64(UInt(bitPattern: start)), length: UInt32(truncatingIfNeeded: text.count), kind: .string)
    }

    /// The value at a node.
    @inline(__always)
    init(_ node: UnsafeMutablePointer<TapeNode>) {
        switch node.pointee.kind {
        case .array, .object:
            self.init(
                payload: UInt64(UInt(bitPattern: node)), length: node.pointee.length, kind: node.pointee.kind)
        case .reference:
            guard let target = node.pointee.target else {
                self = .null
                return
            }
            self.init(
                payload: node.pointee.payload, length: target.pointee.length, kind: target.pointee.kind)
        default: self.init(payload: node.pointee.payload, length: node.pointee.length, kind: node.pointee.kind)
        }
    }

    @inline(__always)
    var integer: Int64 { Int64(bitPattern: payload) }
    @inline(__always)
    var float: Double { Double(bitPattern: payload) }
    @inline(__always)
    var isString: Bool { kind == .string }
    @inline(__always)
    var isContainer: Bool { kind == .array || kind == .object }

    /// Where a string's text lies.
    @inline(__always)
    var address: UnsafeRawPointer {
        UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: payload)) ?? emptyText
    }

    /// A string's text.
    @inline(__always)
    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: address, count: Int(length)) }

    /// A container's node.
    @inline(__always)
    var node: UnsafeMutablePointer<TapeNode>? {
        guard isContainer else { return nil }
        return UnsafeMutablePointer(bitPattern: UInt(truncatingIfNeeded: payload))
    }

    /// What the value is as a condition: `[]`, `""`, 0 and null are false, `"0"` and `{}` are true.
    @inline(__always)
    var isTruthy: Bool {
        switch kind {
        case .bool, .integer: payload != 0
        case .float: !(float == 0 || float.isNaN)
        case .string, .array: length > 0
        case .object: true
        case .null, .absent, .key, .reference: false
        }
    }

    /// Whether two strings have the same bytes.
    @inline(__always)
    func isSameText(as other: Value) -> Bool {
        length == other.length && sameBytes(address, other.address, Int(length))
    }
}

/// Whether so many bytes are the same. Names and words are short: calling the C library costs more than comparing.
@inline(__always)
func sameBytes(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    if count >= 8 {
        if count > 32 { return memcmp(left, right, count) == 0 }
        var difference: UInt64 = 0
        var position = 0
        while position &+ 8 < count {
            difference |=
                left.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                ^ right.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            position &+= 8
        }
        difference |=
            left.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        return difference == 0
    }
    if count >= 4 {
        return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
            && left.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
                == right.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
    }
    for position in 0..<count
    where left.load(fromByteOffset: position, as: UInt8.self) != right.load(fromByteOffset: position, as: UInt8.self) {
        return false
    }
    return true
}

extension TapeNode {
    /// The container that a reference stands for.
    @inline(__always)
    var target: UnsafeMutablePointer<TapeNode>? { UnsafeMutablePointer(bitPattern: UInt(truncatingIfNeeded: payload)) }

    /// A node that holds a value within a container that a rule makes.
    @inline(__always)
    init(holding value: Value) {
        self.init(
            payload: value.payload, length: value.length, span: 1, start: 0, stop: 0,
            kind: value.isContainer ? .reference : value.kind == .absent ? .null : value.kind)
    }

    /// What a container that a rule made has in place of a position in a text.
    private static let made = UInt32.max

    /// A container that a rule makes; its elements follow. `depth` counts such containers within one another.
    init(_ kind: ValueKind, count: Int, span: Int, depth: UInt32) {
        self.init(
            payload: 0, length: UInt32(truncatingIfNeeded: count), span: UInt32(truncatingIfNeeded: span), start: depth,
            stop: Self.made, kind: kind)
    }

    /// How many containers that a rule made lie within one another here.
    var depth: UInt32 { stop == Self.made ? start : 0 }
}
