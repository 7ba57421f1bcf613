/// Reads JSON text into a tape, in one pass and without recursion.
///
/// The text is a copy that the scanner may write to: escapes are decoded in place, since what they stand for is never
/// longer. Behind the text lie at least eight zero bytes, so that no loop needs to ask for the end: zero is never
/// valid where it could be read.
enum JSONScanner {
    /// Objects with more keys are searched for duplicates at their end, by sorting.
    private static let largestSearched: UInt32 = 32

    /// Scans a whole text into the tape.
    ///
    /// One long function, because its variables then live in registers; what is rare is done elsewhere, by functions
    /// that take and give values.
    @inline(never)
    static func scan(
        _ text: UnsafeMutablePointer<UInt8>, count: Int, limits: JSONLimits, into result: inout Tape
    ) throws(JSONError) {
        var tape = result
        defer { result = tape }
        tape.count = 0
        _ = tape.append(.null)
        let source = Source(text: text, end: text + count)
        var cursor = text
        var keys = 0
        /// The innermost open container. While it is open its `span` holds the one around it, its `payload` the keys
        /// seen in it.
        var current = -1
        var isObject = false
        var depth = 0
        /// The bits of the fingerprints of the current object's keys: a key whose bit is clear is no duplicate.
        var seenKeys: UInt64 = 0
        skipSpace(&cursor)
        while true {
            if isObject {
                guard cursor.pointee == 0x22 else { throw source.fault(.malformed, "A key was expected.", cursor) }
                keys &+= 1
                guard keys <= limits.keys else { throw source.fault(.tooManyKeys, "Too many keys.", cursor) }
                let start = cursor
                let length = try scanString(&cursor, source, limits)
                let mark = fingerprint(of: start + 1, count: length)
                let index = tape.append(
                    TapeNode(text: start + 1, length, span: mark, source.offset(start), source.offset(cursor), .key))
                let bit: UInt64 = 1 << UInt64(mark & 63)
                if seenKeys & bit != 0, tape.nodes[current].length < largestSearched {
                    try refuseDuplicate(of: tape.nodes + index, in: tape.nodes + current)
                }
                seenKeys |= bit
                skipSpace(&cursor)
                guard cursor.pointee == 0x3A else { throw source.fault(.malformed, "':' was expected.", cursor) }
                cursor += 1
                skipSpace(&cursor)
            }
            let start = cursor
            switch cursor.pointee {
            case 0x22:
                let length = try scanString(&cursor, source, limits)
                _ = tape.append(
                    TapeNode(text: start + 1, length, span: 1, source.offset(start), source.offset(cursor), .string))
            case 0x7B, 0x5B:
                depth &+= 1
                guard depth <= limits.depth else { throw source.fault(.tooDeep, "Too many levels.", cursor) }
                if isObject { tape.nodes[current].payload = seenKeys }
                isObject = cursor.pointee == 0x7B
                seenKeys = 0
                current = tape.append(
                    TapeNode(
                        payload: 0, length: 0, span: UInt32(truncatingIfNeeded: current), start: source.offset(start),
                        stop: 0, kind: isObject ? .object : .array))
                cursor += 1
                skipSpace(&cursor)
                guard cursor.pointee == (isObject ? 0x7D : 0x5D) else { continue }
                // An empty container: step back over the element that the loop below counts.
                tape.nodes[current].length = .max
            default:
                let scalar = scanScalar(cursor)
                cursor = scalar.cursor
                if let problem = scalar.problem { throw source.fault(problem, scalar.message, cursor) }
                _ = tape.append(
                    TapeNode(
                        payload: scalar.payload, length: 0, span: 1, start: source.offset(start),
                        stop: source.offset(cursor), kind: scalar.kind))
            }
            while true {
                skipSpace(&cursor)
                guard current >= 0 else {
                    guard cursor == source.end else {
                        throw source.fault(.malformed, "There is something after the value.", cursor)
                    }
                    return
                }
                let container = tape.nodes + current
                container.pointee.length &+= 1
                let byte = cursor.pointee
                cursor += 1
                if byte == 0x2C {
                    skipSpace(&cursor)
                    break
                }
                guard byte == (isObject ? 0x7D : 0x5D) else {
                    throw source.fault(
                        .malformed, isObject ? "',' or '}' was expected." : "',' or ']' was expected.", cursor - 1)
                }
                if isObject, container.pointee.length > largestSearched {
                    try refuseDuplicates(inLargeObject: container, upTo: tape.nodes + tape.count)
                }
                depth &-= 1
                let parent = Int(Int32(bitPattern: container.pointee.span))
                container.pointee.span = UInt32(truncatingIfNeeded: tape.count &- current)
                container.pointee.stop = source.offset(cursor)
                current = parent
                isObject = current >= 0 && tape.nodes[current].kind == .object
                if isObject { seenKeys = tape.nodes[current].payload }
            }
        }
    }

    @inline(__always)
    private static func skipSpace(_ cursor: inout UnsafeMutablePointer<UInt8>) {
        while cursor.pointee <= 0x20 {
            switch cursor.pointee {
            case 0x20, 0x0A, 0x0D, 0x09: cursor += 1
            default: return
            }
        }
    }

    /// The text that is read.
    struct Source {
        let text: UnsafeMutablePointer<UInt8>
        let end: UnsafeMutablePointer<UInt8>

        @inline(__always)
        func offset(_ pointer: UnsafeMutablePointer<UInt8>) -> UInt32 { UInt32(truncatingIfNeeded: pointer - text) }

        @inline(never)
        func fault(
            _ code: JSONError.Code, _ message: StaticString, _ cursor: UnsafeMutablePointer<UInt8>
        ) -> JSONError {
            let endsEarly = code == .malformed && cursor >= end
            return JSONError(code, endsEarly ? "The text ends too early." : message.description, offset: cursor - text)
        }
    }
}

extension TapeNode {
    /// A string or a key.
    @inline(__always)
    init(
        text: UnsafeMutablePointer<UInt8>, _ length: Int, span: UInt32, _ start: UInt32, _ stop: UInt32,
        _ kind: ValueKind
    ) {
        self.init(
            payload: UInt64(UInt(bitPattern: text)), length: UInt32(truncatingIfNeeded: length), span: span,
            start: start, stop: stop, kind: kind)
    }
}
