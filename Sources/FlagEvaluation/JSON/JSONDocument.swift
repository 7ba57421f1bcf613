/// One JSON text, read into a flat tape that answers questions without building values.
///
/// Storage is kept from one parse to the next: a server worker has one document for all its request bodies. The text is
/// copied, so a document never outlives what it points to. Parsing invalidates the nodes of the text before.
public final class JSONDocument {
    /// A place in a document: a value. Of another document, or from before the last parse, it is some other value or
    /// null, never a fault.
    public struct Node: Hashable, Sendable {
        let index: Int
        /// Where every tape has a null.
        static let null = Node(index: 0)
    }

    // Nothing called from within a parse sees the document, so asking at run time whether something does is wasted.
    @exclusivity(unchecked) var tape = Tape(capacity: 64)
    @exclusivity(unchecked) private var text = UnsafeMutablePointer<UInt8>.allocate(capacity: 512)
    @exclusivity(unchecked) private var textCapacity = 512
    /// Counts parses, so that what was worked out from a text can be told from what must be worked out anew.
    @exclusivity(unchecked) private(set) var parses: UInt64 = 0
    /// Text above this is not worth keeping storage for.
    private static let largestKept = 1 << 20
    /// Zero bytes that the scanner needs behind the text.
    private static let padding = 16

    /// A document that holds null.
    public init() { clear() }

    deinit {
        tape.deallocate()
        text.deallocate()
    }

    /// Replaces the content with a JSON text. After an error the document holds null.
    public func parse(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .context) throws(JSONError) {
        parses += 1
        guard bytes.count < Int32.max else {
            clear()
            throw JSONError(.malformed, "More than 2 GB of text.", offset: 0)
        }
        copy(bytes)
        do throws(JSONError) {
            try JSONScanner.scan(text, count: bytes.count, limits: limits, into: &tape)
        } catch {
            clear()
            throw error
        }
    }

    /// Makes the document hold null.
    public func clear() {
        parses += 1
        tape.count = 0
        _ = tape.append(.null)
        _ = tape.append(.null)
    }

    private func copy(_ bytes: UnsafeRawBufferPointer) {
        let needed = bytes.count + Self.padding
        if needed > textCapacity || (textCapacity > Self.largestKept && needed < textCapacity / 4) {
            text.deallocate()
            textCapacity = max(512, needed)
            text = .allocate(capacity: textCapacity)
            tape.deallocate()
            tape = Tape(capacity: max(64, min(textCapacity, Self.largestKept) / 8))
        }
        let raw = UnsafeMutableRawPointer(text)
        if let source = bytes.baseAddress { raw.copyMemory(from: source, byteCount: bytes.count) }
        (raw + bytes.count).initializeMemory(as: UInt8.self, repeating: 0, count: Self.padding)
    }

    /// The record of a node, or that of the root when there is no such node.
    @inline(__always)
    func record(_ node: Node) -> UnsafeMutablePointer<TapeNode> {
        guard node.index < tape.count else { return tape.nodes }
        let record = tape.nodes + node.index
        return record.pointee.kind == .key ? tape.nodes : record
    }
}

extension JSONDocument {
    /// What kind of value a node is.
    public enum Kind: Sendable {
        case null, bool, integer, float, string, array, object
    }

    /// The outermost value.
    public var root: Node { Node(index: 1) }

    /// What kind of value the node is.
    public func kind(of node: Node) -> Kind {
        switch record(node).pointee.kind {
        case .bool: .bool
        case .integer: .integer
        case .float: .float
        case .string: .string
        case .array: .array
        case .object: .object
        case .null, .key, .reference, .absent: .null
        }
    }

    /// The member of that name, when the node is an object that has it.
    public func member(_ name: StaticString, of node: Node) -> Node? {
        guard name.hasPointerRepresentation else { return nil }
        return member(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), of: node)
    }

    /// The member whose name is that UTF-8 text.
    public func member(_ name: UnsafeRawBufferPointer, of node: Node) -> Node? {
        guard let value = record(node).member(name) else { return nil }
        return Node(index: value - tape.nodes)
    }

    /// The member of that name.
    public func member(named name: String, of node: Node) -> Node? {
        var name = name
        return name.withUTF8 { member(UnsafeRawBufferPointer($0), of: node) }
    }

    /// How many elements or members the node has; 0 for any other value.
    public func count(of node: Node) -> Int {
        let record = record(node)
        return record.pointee.isContainer ? Int(record.pointee.length) : 0
    }

    /// The elements, in order, when the node is an array.
    public func elements(of node: Node) -> [Node] {
        let record = record(node)
        guard record.pointee.kind == .array else { return [] }
        return record.elements.map { Node(index: $0 - tape.nodes) }
    }

    /// The members, in order, when the node is an object.
    public func members(of node: Node) -> [(key: String, value: Node)] {
        let record = record(node)
        guard record.pointee.kind == .object else { return [] }
        return record.members.map { (($0 - 1).pointee.text, Node(index: $0 - tape.nodes)) }
    }
}

extension JSONDocument {
    /// The text, when the node is a string.
    public func string(_ node: Node) -> String? {
        let record = record(node).pointee
        return record.kind == .string ? record.text : nil
    }

    /// Whether the node is a string of that text.
    public func isString(_ node: Node, _ text: StaticString) -> Bool {
        let record = record(node).pointee
        guard record.kind == .string, text.hasPointerRepresentation, Int(record.length) == text.utf8CodeUnitCount else {
            return false
        }
        return sameBytes(record.address, text.utf8Start, text.utf8CodeUnitCount)
    }

    /// The decoded UTF-8 of a string, in the document's storage: gone with the next parse.
    public func utf8(_ node: Node) -> UnsafeRawBufferPointer? {
        let record = record(node).pointee
        guard record.kind == .string else { return nil }
        return UnsafeRawBufferPointer(start: record.address, count: Int(record.length))
    }

    /// The number, when the node is one without fraction and exponent.
    public func integer(_ node: Node) -> Int64? {
        let record = record(node).pointee
        return record.kind == .integer ? Int64(bitPattern: record.payload) : nil
    }

    /// The number, when the node is one.
    public func number(_ node: Node) -> Double? {
        let record = record(node).pointee
        switch record.kind {
        case .integer: return Double(Int64(bitPattern: record.payload))
        case .float: return Double(bitPattern: record.payload)
        default: return nil
        }
    }

    /// The truth value, when the node is one.
    public func bool(_ node: Node) -> Bool? {
        let record = record(node).pointee
        return record.kind == .bool ? record.payload != 0 : nil
    }

    /// Whether the node is null.
    public func isNull(_ node: Node) -> Bool { record(node).pointee.kind == .null }

    /// Where the value stands in the text that was parsed, in bytes.
    public func range(of node: Node) -> Range<Int> {
        let record = record(node).pointee
        return Int(record.start)..<max(Int(record.start), Int(record.stop))
    }

    /// The node and all below it as a value.
    ///
    /// Nil when two keys of one object are equal as text though not in bytes (`é` as one character and as two).
    public func value(of node: Node) -> JSONValue? { JSONValue(record(node)) }
}
