/// A whole number that must lie in a range.
protocol NumberInRange: SingleValue, Equatable, CustomStringConvertible {
    static var range: ClosedRange<Int> { get }
    var number: Int { get }
    init(number: Int)
}

extension NumberInRange {
    static var placeholder: String { "COUNT" }

    init(argument text: String) throws(ValueError) {
        guard let number = Int(text), Self.range.contains(number) else {
            throw ValueError("is '\(text)'; write a number from \(Self.range.lowerBound) to \(Self.range.upperBound)")
        }
        self.init(number: number)
    }

    var description: String { "\(number)" }
}

/// How many seconds to wait.
struct Timeout: NumberInRange {
    static let placeholder = "SECONDS"
    static let range = 1...3_600
    let number: Int
}
