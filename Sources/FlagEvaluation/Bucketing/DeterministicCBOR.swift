/// Writes values as deterministic CBOR: equal values give equal bytes. Source: RFC 8949, 4.2.1.
///
/// Whole floats are written as integers if they fit 64 bits, so that `1.0` and `1` are one unit; other floats in the
/// shortest form that keeps them; members in the order of their encoded names.
struct DeterministicCBOR {
    private var bytes: UnsafeMutableRawPointer
    private var capacity: Int
    private var count = 0
    /// False once the arena had nothing left, or values were nested into one another too often.
    private var isComplete = true
    /// How many values may still be written.
    private var remaining = 1 << 17

    /// The bytes of a value, in the arena; nil when they are too many.
    static func encoding(of value: Value, in arena: inout Arena) -> UnsafeRawBufferPointer? {
        encoding(hint: Int(value.length), in: &arena) { $0.write(value, &$1) }
    }

    /// The bytes of an array of two texts.
    static func encoding(
        of first: Value, _ second: Value, in arena: inout Arena
    ) -> UnsafeRawBufferPointer? {
        encoding(hint: Int(first.length) + Int(second.length), in: &arena) { writer, arena in
            writer.write(.array, argument: 2, &arena)
            writer.write(first, &arena)
            writer.write(second, &arena)
        }
    }

    @inline(__always)
    private static func encoding(
        hint: Int, in arena: inout Arena, _ write: (inout DeterministicCBOR, inout Arena) -> Void
    ) -> UnsafeRawBufferPointer? {
        let capacity = hint + 24
        guard let bytes = arena.allocate(capacity) else { return nil }
        var writer = DeterministicCBOR(bytes: bytes, capacity: capacity)
        write(&writer, &arena)
        return writer.isComplete ? UnsafeRawBufferPointer(start: writer.bytes, count: writer.count) : nil
    }

    private init(bytes: UnsafeMutableRawPointer, capacity: Int) {
        self.bytes = bytes
        self.capacity = capacity
    }

    /// The first three bits of an item.
    private enum Major: UInt8 {
        case unsigned = 0x00
        case negative = 0x20
        case text = 0x60
        case array = 0x80
        case map = 0xA0
    }

    /// As deep as containers can lie in one another, which is bounded; so is what they write.
    private mutating func write(_ value: Value, _ arena: inout Arena) {
        remaining -= 1
        guard remaining >= 0, isComplete else {
            isComplete = false
            return
        }
        switch value.kind {
        case .string: write(text: value, &arena)
        case .integer: write(integer: value.integer, &arena)
        case .float: write(float: value.float, &arena)
        case .bool: append(value.payload != 0 ? 0xF5 : 0xF4, width: 1, &arena)
        case .array:
            write(.array, argument: UInt64(value.length), &arena)
            guard let node = value.node else { return }
            for element in node.elements where isComplete { write(Value(element), &arena) }
        case .object:
            write(.map, argument: UInt64(value.length), &arena)
            guard let node = value.node else { return }
            for member in node.members.sorted(by: Self.isBefore) where isComplete {
                write(text: Value(text: (member - 1).pointee.bytes), &arena)
                write(Value(member), &arena)
            }
        case .null, .absent, .key, .reference: append(0xF6, width: 1, &arena)
        }
    }

    /// The order of encoded names: their length comes first.
    private static func isBefore(
        _ left: UnsafeMutablePointer<TapeNode>, _ right: UnsafeMutablePointer<TapeNode>
    ) -> Bool {
        let (left, right) = ((left - 1).pointee.bytes, (right - 1).pointee.bytes)
        return left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }

    private mutating func write(text: Value, _ arena: inout Arena) {
        let length = Int(text.length)
        write(.text, argument: UInt64(length), &arena)
        guard reserve(length, &arena) else { return }
        (bytes + count).copyMemory(from: text.address, byteCount: length)
        count += length
    }

    private mutating func write(integer: Int64, _ arena: inout Arena) {
        if integer >= 0 {
            write(.unsigned, argument: UInt64(integer), &arena)
        } else {
            write(.negative, argument: UInt64(bitPattern: ~integer), &arena)
        }
    }

    private mutating func write(float: Double, _ arena: inout Arena) {
        if let integer = Int64(exactly: float) { return write(integer: integer, &arena) }
        if let integer = UInt64(exactly: float) { return write(.unsigned, argument: integer, &arena) }
        let single = Float(float)
        if float.isNaN {
            append(0xF9_7E00, width: 3, &arena)
        } else if let half = Self.half(single), Double(single) == float {
            append(0xF9_0000 | UInt64(half), width: 3, &arena)
        } else if Double(single) == float {
            append(0xFA_0000_0000 | UInt64(single.bitPattern), width: 5, &arena)
        } else {
            append(0xFB, width: 1, &arena)
            append(float.bitPattern, width: 8, &arena)
        }
    }

    /// The bits of the same number in half precision, if there is one. `Float16` is not on every platform.
    private static func half(_ value: Float) -> UInt16? {
        let sign = UInt16(value.bitPattern >> 16) & 0x8000
        let exponent = Int(value.bitPattern >> 23 & 0xFF) - 127
        let fraction = value.bitPattern & 0x7F_FFFF
        switch exponent {
        case 128: return fraction == 0 ? sign | 0x7C00 : nil
        case -14...15:
            guard fraction & 0x1FFF == 0 else { return nil }
            return sign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 13)
        case -24 ..< -14:
            let shift = UInt32(-1 - exponent)
            let significand = fraction | 0x80_0000
            guard significand & (1 << shift - 1) == 0 else { return nil }
            return sign | UInt16(significand >> shift)
        default: return value == 0 ? sign : nil
        }
    }

    /// The head of an item with its argument in the shortest form.
    private mutating func write(_ major: Major, argument: UInt64, _ arena: inout Arena) {
        let head = UInt64(major.rawValue)
        switch argument {
        case 0..<24: append(head | argument, width: 1, &arena)
        case ...0xFF: append((head | 24) << 8 | argument, width: 2, &arena)
        case ...0xFFFF: append((head | 25) << 16 | argument, width: 3, &arena)
        case ...0xFFFF_FFFF: append((head | 26) << 32 | argument, width: 5, &arena)
        default:
            append(head | 27, width: 1, &arena)
            append(argument, width: 8, &arena)
        }
    }

    /// Appends so many of the lowest bytes, the highest first.
    private mutating func append(_ value: UInt64, width: Int, _ arena: inout Arena) {
        guard reserve(width, &arena) else { return }
        var shift = width * 8
        while shift > 0 {
            shift -= 8
            bytes.storeBytes(of: UInt8(truncatingIfNeeded: value >> UInt64(shift)), toByteOffset: count, as: UInt8.self)
            count += 1
        }
    }

    private mutating func reserve(_ more: Int, _ arena: inout Arena) -> Bool {
        guard isComplete else { return false }
        guard count + more > capacity else { return true }
        let larger = (count + more) * 2
        guard let memory = arena.allocate(larger) else {
            isComplete = false
            return false
        }
        memory.copyMemory(from: bytes, byteCount: count)
        (bytes, capacity) = (memory, larger)
        return true
    }
}
