/// How many seconds to wait.
struct Timeout: SingleValue, Equatable, CustomStringConvertible {
    static let placeholder = "SECONDS"
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init(argument text: String) throws(ValueError) {
        guard let seconds = Int(text), (1...3_600).contains(seconds) else {
            throw ValueError("is '\(text)'; write a number of seconds from 1 to 3600")
        }
        self.seconds = seconds
    }

    var description: String { "\(seconds)" }
}
