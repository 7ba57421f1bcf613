#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TapeNode {
    /// Where a string's or a key's text lies.
    ///
    /// The payload of such a node is always written from a live pointer; another node gives a harmless address that is
    /// read for no bytes.
    @inline(__always)
    var address: UnsafeRawPointer {
        UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: payload)) ?? emptyText
    }

    /// Whether two keys are the same, byte for byte.
    @inline(__always)
    func isSameKey(as other: TapeNode) -> Bool {
        span == other.span && length == other.length && memcmp(address, other.address, Int(length)) == 0
    }
}

/// Something to point at for text of no bytes.
@inline(__always)
var emptyText: UnsafeRawPointer {
    let text: StaticString = ""
    return UnsafeRawPointer(text.utf8Start)
}

extension JSONScanner {
    /// Compares a new key with those before it in its object.
    @inline(never)
    static func refuseDuplicate(
        of key: UnsafeMutablePointer<TapeNode>, in object: UnsafeMutablePointer<TapeNode>
    ) throws(JSONError) {
        var other = object + 1
        while other < key {
            if other.pointee.isSameKey(as: key.pointee) { throw duplicate(key.pointee) }
            other += 1 + Int(other[1].span)
        }
    }

    /// Sorts the keys of a large object, which brings equal ones together, however they were chosen.
    @inline(never)
    static func refuseDuplicates(
        inLargeObject object: UnsafeMutablePointer<TapeNode>, upTo end: UnsafeMutablePointer<TapeNode>
    ) throws(JSONError) {
        var keys: [TapeNode] = []
        keys.reserveCapacity(Int(object.pointee.length))
        var key = object + 1
        while key < end {
            keys.append(key.pointee)
            key += 1 + Int(key[1].span)
        }
        keys.sort { left, right in
            if left.length != right.length { return left.length < right.length }
            return memcmp(left.address, right.address, Int(left.length)) < 0
        }
        for (left, right) in zip(keys, keys.dropFirst()) where left.isSameKey(as: right) { throw duplicate(right) }
    }

    private static func duplicate(_ key: TapeNode) -> JSONError {
        JSONError(.duplicateKey, "A key that the object already has.", offset: Int(key.start))
    }
}
