import Rollouts

/// A part of all units, of 100 000. Written `5%`, `0.5%`, or as the number itself.
struct Share: SingleValue, Equatable {
    /// Below this a bare number was more likely meant in per cent.
    private static let smallestBareNumber = 1_000
    static let placeholder = "SHARE"
    let units: Int

    init(units: Int) { self.units = units }

    init(argument text: String) throws(ValueError) {
        guard let units = Share.units(text), units <= RolloutPlan.wholeShare else {
            throw ValueError("is '\(text)'; write 5%, 0.5% (to 0.001%), or a whole number of 100000")
        }
        guard text.hasSuffix("%") || units == 0 || units >= Share.smallestBareNumber else {
            let percent = units <= 100 ? "\(units)% or \(Share(units: units).text)" : Share(units: units).text
            throw ValueError("is '\(text)', which counts of 100000; write \(percent)")
        }
        self.units = units
    }

    /// `5%`, to three places.
    var text: String { RolloutPlan.percent(of: units) }

    private static func units(_ text: String) -> Int? {
        guard text.hasSuffix("%") else { return digits(text) }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = digits(first), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return whole * 1_000 }
        let places = parts[1]
        guard (1...3).contains(places.count), let fraction = digits(places) else { return nil }
        return whole * 1_000 + fraction * [100, 10, 1][places.count - 1]
    }

    private static func digits(_ text: some StringProtocol) -> Int? {
        let isNumber = (1...6).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(text) : nil
    }
}
