/// Writes the Prometheus text format 0.0.4.
struct MetricsText {
    private(set) var body: [UInt8] = []
    private var name = ""

    /// The kinds of families in use.
    enum Kind: String { case counter, gauge, histogram }

    /// Starts a family; the samples that follow belong to it.
    mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        self.name = "signalbox_\(name)"
        write("# HELP \(self.name) \(help)\n# TYPE \(self.name) \(kind.rawValue)\n")
    }

    /// One sample of the family. Values of labels are escaped.
    mutating func sample(_ value: some BinaryInteger, _ labels: (String, String)...) {
        line("", labels, "\(value)")
    }

    /// A histogram: the counts of its buckets, not cumulative, one more than there are bounds, and the sum of what was
    /// counted.
    mutating func histogram(bounds: [String], counts: [UInt64], sum: String, _ labels: [(String, String)] = []) {
        var total: UInt64 = 0
        for (bound, count) in zip(bounds + ["+Inf"], counts) {
            total += count
            line("_bucket", labels + [("le", bound)], "\(total)")
        }
        line("_sum", labels, sum)
        line("_count", labels, "\(total)")
    }

    private mutating func line(_ suffix: String, _ labels: [(String, String)], _ value: String) {
        let list = labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",")
        write("\(name)\(suffix)\(list.isEmpty ? "" : "{\(list)}") \(value)\n")
    }

    private mutating func write(_ text: String) { body.append(contentsOf: text.utf8) }

    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
        return escaped
    }

    /// Millionths as a decimal fraction, without rounding.
    static func seconds(microseconds: UInt64) -> String {
        let fraction = String(microseconds % 1_000_000)
        let digits = String(repeating: "0", count: 6 - fraction.count) + fraction
        let end = digits.lastIndex { $0 != "0" }
        return "\(microseconds / 1_000_000)" + (end.map { ".\(digits[...$0])" } ?? "")
    }
}
