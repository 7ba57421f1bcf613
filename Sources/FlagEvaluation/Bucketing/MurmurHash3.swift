/// MurmurHash3 x86 32 (Austin Appleby, public domain), the hash of flagd's splits.
@inline(__always)
func murmurHash3(_ bytes: UnsafeRawPointer, count: Int, seed: UInt32 = 0) -> UInt32 {
    var hash = seed
    var cursor = bytes
    let body = bytes + (count & ~3)
    while cursor < body {
        hash ^= scrambled(UInt32(littleEndian: cursor.loadUnaligned(as: UInt32.self)))
        hash = (hash << 13 | hash >> 19) &* 5 &+ 0xE654_6B64
        cursor += 4
    }
    var tail: UInt32 = 0
    let rest = count & 3
    if rest > 2 { tail |= UInt32(cursor.load(fromByteOffset: 2, as: UInt8.self)) << 16 }
    if rest > 1 { tail |= UInt32(cursor.load(fromByteOffset: 1, as: UInt8.self)) << 8 }
    if rest > 0 { hash ^= scrambled(tail | UInt32(cursor.load(as: UInt8.self))) }
    hash ^= UInt32(truncatingIfNeeded: count)
    hash = (hash ^ hash >> 16) &* 0x85EB_CA6B
    hash = (hash ^ hash >> 13) &* 0xC2B2_AE35
    return hash ^ hash >> 16
}

@inline(__always)
private func scrambled(_ word: UInt32) -> UInt32 {
    let product = word &* 0xCC9E_2D51
    return (product << 15 | product >> 17) &* 0x1B87_3593
}
