import Rollouts
import RouteContract

/// Shows that a stored row is still what was written: SQLite has no checksums of its own for its pages.
///
/// FNV-1a of 64 bits, taken eight bytes at a time with a shift between. The value is stored: it never changes.
struct RowChecksum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01B3
        value ^= value >> 32
    }

    mutating func add(_ number: Int64) { add(UInt64(bitPattern: number)) }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        add(UInt64(truncatingIfNeeded: bytes.count))
        var position = 0
        while position + 8 <= bytes.count {
            add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
            position += 8
        }
        var rest: UInt64 = 0
        while position < bytes.count {
            rest = rest << 8 | UInt64(bytes[position])
            position += 1
        }
        add(rest)
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    /// The checksum of a segment, as its column holds it.
    static func of(_ pin: JourneyDraft, segment: Int64) -> Int64 {
        var sum = RowChecksum()
        sum.add(pin.id.high)
        sum.add(pin.id.low)
        sum.add(segment)
        sum.add(pin.flow)
        sum.add(pin.unit)
        sum.add(pin.build.app)
        sum.add(pin.build.number)
        sum.add(pin.parent?.high ?? 0)
        sum.add(pin.parent?.low ?? 0)
        sum.add(pin.epoch)
        sum.add(pin.revision)
        sum.add(pin.startedAt)
        sum.add(pin.expiresAt)
        pin.choices.text.withUnsafeBytes { sum.add($0) }
        // Rows of earlier releases have neither.
        if let opening = pin.opening {
            sum.add(opening.attempt.high)
            sum.add(opening.attempt.low)
            sum.add(opening.reason.rawValue)
            sum.add(opening.openedAt)
        }
        if let origin = pin.origin { sum.add(origin.rawValue) }
        return Int64(bitPattern: sum.value)
    }

    /// The checksum of a conflict, as its column holds it.
    static func of(_ conflict: JourneyConflict, of id: JourneyID) -> Int64 {
        var sum = RowChecksum()
        sum.add(id.high)
        sum.add(id.low)
        sum.add(conflict.segment)
        sum.add(conflict.text)
        sum.add(conflict.reportedAt)
        return Int64(bitPattern: sum.value)
    }

    /// The checksum of an outcome, as its column holds it.
    static func of(_ ended: EndedJourney, of id: JourneyID) -> Int64 {
        var sum = RowChecksum()
        sum.add(id.high)
        sum.add(id.low)
        sum.add(ended.outcome.status.rawValue)
        sum.add(UInt64(ended.outcome.name == nil ? 0 : 1))
        sum.add(ended.outcome.name ?? "")
        sum.add(ended.endedAt)
        return Int64(bitPattern: sum.value)
    }
}
