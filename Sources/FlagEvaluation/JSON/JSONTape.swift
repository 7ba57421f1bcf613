/// What a node of a tape, or a value in a rule, is.
enum ValueKind: UInt8 {
    case null, bool, integer, float, string, array, object
    /// The name of the member whose value is the next node. Only on tapes.
    case key
    /// Stands for a container elsewhere; the payload is its address. Only in arrays that a rule made.
    case reference
    /// There is nothing of that name. Only while a path is followed.
    case absent
}

/// One node of a tape: a value, or the name of a member, in the order of the text.
struct TapeNode {
    /// A string's address, an integer, the bits of a float, 1 for true.
    var payload: UInt64
    /// A string's bytes; a container's members or elements.
    var length: UInt32
    /// How many nodes the value takes, itself included. For a key: its fingerprint.
    var span: UInt32
    /// Where the value begins and ends in the text, quotation marks included.
    var start: UInt32
    var stop: UInt32
    var kind: ValueKind

    static let null = TapeNode(payload: 0, length: 0, span: 1, start: 0, stop: 0, kind: .null)
}

/// A growing sequence of nodes whose storage is kept between uses.
struct Tape {
    private(set) var nodes: UnsafeMutablePointer<TapeNode>
    private(set) var capacity: Int
    var count = 0

    init(capacity: Int) {
        self.capacity = capacity
        nodes = .allocate(capacity: capacity)
    }

    /// Adds a node and tells where it stands.
    @inline(__always)
    mutating func append(_ node: TapeNode) -> Int {
        if count == capacity {
            nodes = Self.enlarged(nodes, count)
            capacity *= 2
        }
        nodes[count] = node
        count &+= 1
        return count &- 1
    }

    /// Not a method, so that nobody needs the address of a tape: a scanner's lives in registers.
    @inline(never)
    private static func enlarged(
        _ nodes: UnsafeMutablePointer<TapeNode>, _ count: Int
    ) -> UnsafeMutablePointer<TapeNode> {
        let larger = UnsafeMutablePointer<TapeNode>.allocate(capacity: count * 2)
        larger.moveInitialize(from: nodes, count: count)
        nodes.deallocate()
        return larger
    }

    func deallocate() { nodes.deallocate() }
}

/// A short hash by which most unequal names are told apart without reading them.
@inline(__always)
func fingerprint(of text: UnsafeRawPointer, count: Int) -> UInt32 {
    var first: UInt64 = 0
    var last: UInt64 = 0
    if count >= 8 {
        first = text.loadUnaligned(as: UInt64.self)
        last = text.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else if count >= 4 {
        first = UInt64(text.loadUnaligned(as: UInt32.self))
        last = UInt64(text.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    } else if count > 0 {
        first = UInt64(text.load(as: UInt8.self))
        first |= UInt64(text.load(fromByteOffset: count / 2, as: UInt8.self)) << 8
        first |= UInt64(text.load(fromByteOffset: count - 1, as: UInt8.self)) << 16
    }
    let mixed = first ^ (last << 29 | last >> 35) ^ UInt64(truncatingIfNeeded: count)
    return UInt32(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) >> 32)
}
