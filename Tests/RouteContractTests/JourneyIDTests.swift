import Foundation
import RouteContract
import Testing

@Suite struct `A journey id` {
    /// The example of RFC 9562, appendix A.6: 22 February 2022, 19:22:22 UTC.
    let example = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"

    @Test func `reads and writes the example of the standard`() throws {
        let id = try #require(JourneyID(example))
        #expect(id.milliseconds == 1_645_557_742_000)
        #expect(id.high == 0x017F_22E2_79B0_7CC3)
        #expect(id.low == 0x98C4_DC0C_0C07_398F)
        #expect(id.description == example)
    }

    @Test func `is read in upper case and written in lower case`() {
        #expect(JourneyID(example.uppercased())?.description == example)
    }

    @Test(arguments: [
        "", "017f22e2", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0",
        " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e279b07cc398c4dc0c0c07398f0000",
        "017f22e2-79b0-7cc3-98c4+dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-d8c4-dc0c0c07398f", "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}",
        "017f22e2-79b0-7cc3-98c4-dc0c0c0739é", "017f22e2-79b0-7cc3-98c4-dc0c0c073９", "\0\0\0\0",
    ])
    func `is not read from anything else`(_ text: String) {
        #expect(JourneyID(text) == nil)
    }

    @Test func `takes each of the 256 bytes as a digit only if it is one`() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        let hyphens: Set = [8, 13, 18, 23]
        for place in 0..<36 {
            for byte in UInt8.min ... .max {
                var text = Array(example.utf8)
                text[place] = byte
                let id = text.withUnsafeBytes { JourneyID(text: $0) }
                let expected =
                    if hyphens.contains(place) {
                        byte == UInt8(ascii: "-")
                    } else if place == 14 {
                        byte == UInt8(ascii: "7")
                    } else if place == 19 {
                        "89abAB".utf8.contains(byte)
                    } else {
                        digits.contains(byte)
                    }
                #expect((id != nil) == expected, "byte \(byte) at \(place)")
                guard let id else { continue }
                #expect(Array(id.description.utf8) == Array(String(decoding: text, as: UTF8.self).lowercased().utf8))
            }
        }
    }

    @Test func `takes no two bytes for digits that are not`() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        var mistaken = 0
        for first in UInt8.min ... .max {
            for second in UInt8.min ... .max {
                var text = Array(example.utf8)
                (text[5], text[6]) = (first, second)
                let isRead = text.withUnsafeBytes { JourneyID(text: $0) } != nil
                if isRead != (digits.contains(first) && digits.contains(second)) { mistaken += 1 }
            }
        }
        #expect(mistaken == 0)
    }

    @Test func `agrees with another implementation of UUIDs`() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<1_000 {
            let id = JourneyID(
                milliseconds: .random(in: 0...1 << 47, using: &random),
                randomA: .random(in: 0 ... .max, using: &random),
                randomB: .random(in: 0 ... .max, using: &random))
            let other = try #require(UUID(uuidString: id.description))
            #expect(other.uuidString.lowercased() == id.description)
            #expect(JourneyID(id.description) == id)
            let bytes = withUnsafeBytes(of: other.uuid) { Array($0) }
            #expect(bytes.withUnsafeBytes { JourneyID(bytes: $0) } == id)
            var written = [UInt8](repeating: 0, count: 16)
            written.withUnsafeMutableBytes { id.writeBytes(to: $0) }
            #expect(written == bytes)
        }
    }

    @Test(arguments: [
        (Int64.min, Int64(0)), (-1, 0), (0, 0), (1_645_557_742_000, 1_645_557_742_000),
        (0xFFFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF), (0x1_0000_0000_0000, 0xFFFF_FFFF_FFFF), (.max, 0xFFFF_FFFF_FFFF),
    ])
    func `keeps the time that it was minted at, as far as 48 bits go`(_ time: Int64, _ kept: Int64) {
        let id = JourneyID(milliseconds: time, randomA: .max, randomB: .max)
        #expect(id.milliseconds == kept)
        #expect(JourneyID(high: id.high, low: id.low) == id)
    }

    @Test func `is not made from halves or bytes that are no UUIDv7`() {
        #expect(JourneyID(high: 0x017F_22E2_79B0_4CC3, low: 0x98C4_DC0C_0C07_398F) == nil)
        #expect(JourneyID(high: 0x017F_22E2_79B0_7CC3, low: 0x18C4_DC0C_0C07_398F) == nil)
        #expect([UInt8](repeating: 0x77, count: 15).withUnsafeBytes { JourneyID(bytes: $0) } == nil)
        #expect([UInt8](repeating: 0, count: 16).withUnsafeBytes { JourneyID(bytes: $0) } == nil)
        #expect(UnsafeRawBufferPointer(start: nil, count: 0).isEmpty)
        #expect(JourneyID(text: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
        #expect(JourneyID(bytes: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
    }

    @Test func `sorts by time, then by its random bits, like its text`() {
        let ids = [
            JourneyID(milliseconds: 1, randomA: 9, randomB: 9), JourneyID(milliseconds: 2, randomA: 0, randomB: 7),
            JourneyID(milliseconds: 2, randomA: 1, randomB: 0), JourneyID(milliseconds: 2, randomA: 1, randomB: 5),
        ]
        #expect(ids.reversed().sorted() == ids)
        #expect(ids.map(\.description).sorted() == ids.map(\.description))
    }

    @Test func `is a string in JSON`() throws {
        let id = try #require(JourneyID(example))
        #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == "[\"\(example)\"]")
        #expect(try JSONDecoder().decode([JourneyID].self, from: Data("[\"\(example)\"]".utf8)) == [id])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([JourneyID].self, from: Data("[\"x\"]".utf8)) }
    }
}

@Suite struct `A journey` {
    @Test func `that is a child takes its parent's choices for the routes that both know`() throws {
        let id = JourneyID(milliseconds: 1, randomA: 0, randomB: 1)
        let parent = Journey(
            id: JourneyID(milliseconds: 1, randomA: 0, randomB: 0), flow: "orders",
            choices: [
                "shared": Choice(renderer: .migrated, reason: .share), "own": Choice(renderer: .legacy, reason: .stage),
            ])
        let child = Journey(
            id: id, flow: "trips",
            choices: [
                "shared": Choice(renderer: .legacy, reason: .stage), "other": Choice(renderer: .legacy, reason: .stage),
            ])

        let inheriting = child.inheriting(from: parent)

        #expect(inheriting.parent == parent.id)
        #expect(inheriting.id == id)
        #expect(inheriting.flow == "trips")
        #expect(
            inheriting.choices == [
                "shared": Choice(renderer: .migrated, reason: .share),
                "other": Choice(renderer: .legacy, reason: .stage),
            ])
    }
}
