/// The id of a journey: its first 48 bits are the time at which it was minted (RFC 9562).
struct UUIDv7: SingleValue, Equatable {
    static let placeholder = "UUID"
    /// Lower-case, with dashes.
    let text: String

    /// Puts an id together of a time and 128 random bits, of which 74 are used.
    init(at time: Timestamp, random: (UInt64, UInt64)) {
        let high = UInt64(truncatingIfNeeded: time.milliseconds) << 16 | 0x7000 | random.0 & 0x0FFF
        let low = 0x8000_0000_0000_0000 | random.1 & 0x3FFF_FFFF_FFFF_FFFF
        let digits = UUIDv7.hexadecimal(high) + UUIDv7.hexadecimal(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(digit)
        }
        self.text = text
    }

    /// A new one, of the clock and the system's random numbers.
    static func minted() -> UUIDv7 {
        var generator = SystemRandomNumberGenerator()
        return UUIDv7(at: .now, random: (generator.next(), generator.next()))
    }

    init(argument text: String) throws(ValueError) {
        let lower = text.lowercased()
        let parts = lower.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12], parts[2].hasPrefix("7"),
            parts[3].first.map({ "89ab".contains($0) }) == true,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } })
        else { throw ValueError("is '\(text)', not a UUID of version 7") }
        self.text = lower
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
