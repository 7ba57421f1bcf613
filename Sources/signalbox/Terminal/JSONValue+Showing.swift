import FlagEvaluation

extension JSONValue {
    /// The member as text for people: empty when it is null or missing, compact JSON when it is not a plain value.
    func shown(_ key: String) -> String { self[key]?.shown ?? "" }

    /// The member's elements, none when it is not an array.
    func list(_ key: String) -> [JSONValue] { self[key]?.array ?? [] }

    /// The member as a whole number; 0 when it is not one.
    func number(_ key: String) -> Int64 { self[key]?.integer ?? 0 }

    /// The member as a time.
    func time(_ key: String) -> String { self[key]?.integer.map { Timestamp(milliseconds: $0).text } ?? "" }

    /// The member as the time at which this ends; says so when it no longer holds.
    func ending(_ key: String) -> String { time(key) + (self["holds"] == .bool(false) ? " (ended)" : "") }

    /// Compact JSON in which what could steer the terminal is escaped, so that different values stay different.
    var escapedText: String {
        let text = jsonText
        guard text.unicodeScalars.contains(where: \.isControl) else { return text }
        return text.unicodeScalars.map { scalar in
            guard scalar.isControl else { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }.joined()
    }

    var shown: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .integer(let value): "\(value)"
        case .string(let value): value.printable
        case .float, .array, .object: jsonText.printable
        }
    }
}

extension String {
    /// The text without control characters: what comes from elsewhere must not steer the terminal.
    var printable: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.map { $0.isControl ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Also what breaks lines, and what turns the direction of writing.
    fileprivate var isControl: Bool {
        value < 0x20 || (0x7F...0x9F).contains(value) || (0x2028...0x202E).contains(value)
            || (0x2066...0x2069).contains(value)
    }
}

/// A left column of names and a right column of values; what is empty is left out.
func facts(_ pairs: KeyValuePairs<String, String>) -> String {
    let filled = pairs.filter { !$0.value.isEmpty }
    let width = filled.map(\.key.columns).max() ?? 0
    return filled.map { name, value in
        name + name.padding(to: width + 2) + value
    }.joined(separator: "\n")
}
