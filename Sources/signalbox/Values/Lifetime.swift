/// A length of time, written `90s`, `30m`, `24h` or `7d`.
struct Lifetime: SingleValue, Equatable, CustomStringConvertible {
    static let placeholder = "TIME"
    private static let units: [(letter: Character, seconds: Int)] = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)]
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init(argument text: String) throws(ValueError) {
        guard let letter = text.last, let unit = Lifetime.units.first(where: { $0.letter == letter }),
            text.utf8.count <= 8, text.dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(text.dropLast()), count > 0
        else { throw ValueError("is '\(text)'; write a time such as 90s, 30m, 24h or 7d") }
        seconds = count * unit.seconds
    }

    var description: String { text }

    /// In the largest unit that fits without a rest.
    var text: String {
        let unit = Lifetime.units.first { seconds >= $0.seconds && seconds % $0.seconds == 0 }
        return unit.map { "\(seconds / $0.seconds)\($0.letter)" } ?? "\(seconds)s"
    }
}
