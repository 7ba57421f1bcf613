import FlagEvaluation

/// Differences between two documents: each thing on a line, and below it what differs in it.
struct DifferenceReport {
    private static let mostLines = 20
    private static let columns = 60
    private var lines: [String] = []
    /// Differences of the thing that found no place.
    private var hidden = 0

    static func text(_ differences: [JSONValue], ifEmpty: String) -> String {
        guard !differences.isEmpty else { return ifEmpty }
        return differences.flatMap { difference -> [String] in
            let sign = ["added": "+", "removed": "-"][difference.shown("kind")] ?? "~"
            return ["\(sign) \(difference.shown("path"))"] + DifferenceReport(of: difference).lines.map { "    \($0)" }
        }.joined(separator: "\n")
    }

    private init(of difference: JSONValue) {
        for (name, values) in difference["members"]?.object?.entries ?? [] {
            compare(Self.step(name, after: ""), values["from"], values["to"])
        }
        if hidden > 0 { lines.append("and \(hidden) more") }
    }

    /// Goes down as far as both have the same form, so that only what differs is shown.
    private mutating func compare(_ path: String, _ old: JSONValue?, _ new: JSONValue?) {
        guard old != new else { return }
        if let before = old?.object, let after = new?.object {
            for name in Set(before.keys).union(after.keys).sorted() {
                compare(Self.step(name, after: path), before[name], after[name])
            }
        } else if let before = old?.array, let after = new?.array, before.count == after.count {
            for (index, pair) in zip(before, after).enumerated() {
                compare("\(path)[\(index)]", pair.0, pair.1)
            }
        } else if lines.count < Self.mostLines {
            let (from, to) = Self.brief(old, new)
            lines.append("\(Self.ending(of: path)) \(from) → \(to)")
        } else {
            hidden += 1
        }
    }

    /// `.name`, or `["a name"]` where it could be taken for more than one.
    private static func step(_ name: String, after path: String) -> String {
        let isPlain = !name.isEmpty && name.utf8.allSatisfy { $0 == 0x24 || $0 == 0x2D || $0 == 0x5F || $0.isWordByte }
        guard isPlain else { return "\(path)[\(JSONValue.string(name).escapedText)]" }
        return path.isEmpty ? name : "\(path).\(name)"
    }

    /// Both values in the width of a line. What long texts begin with alike is left out, so that the difference shows.
    private static func brief(_ old: JSONValue?, _ new: JSONValue?) -> (String, String) {
        let (from, to) = (old?.escapedText ?? "none", new?.escapedText ?? "none")
        guard from.columns > columns || to.columns > columns else { return (from, to) }
        let alike = zip(from.unicodeScalars, to.unicodeScalars).prefix { $0 == $1 }.count
        func rest(_ text: String) -> String {
            guard alike > 20 else { return text.shortened(to: columns) }
            return ("…" + String(text.unicodeScalars.dropFirst(alike - 10))).shortened(to: columns)
        }
        return (rest(from), rest(to))
    }

    /// The path, or as much of its end as fits.
    private static func ending(of path: String) -> String {
        path.columns > columns ? "…" + String(path.suffix(columns / 2)) : path
    }
}

extension UInt8 {
    /// An ASCII letter or digit.
    fileprivate var isWordByte: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
