import FlagEvaluation

/// What the service says needs a person: a line for each need, and below it what to do.
struct NeedList {
    /// The most needs that the service tells at once.
    static let mostListed = 1_000
    /// The lines of a small terminal, but for the one on which the next command is written.
    static let screenLines = 23
    /// The columns of a small terminal.
    static let screenColumns = 80

    private let needs: [JSONValue]
    /// How many the service has left out.
    private let unlisted: Int64
    /// When the service said so.
    private let at: Timestamp

    init(in answer: JSONValue) {
        needs = answer.list("needs")
        unlisted = max(0, answer.number("more"))
        at = Timestamp(milliseconds: answer.number("at"))
    }

    /// How many there are, whether or not they are listed.
    var count: Int64 { hidden(beyond: 0) }

    /// How many there are beside the first of these.
    private func hidden(beyond shown: Int) -> Int64 {
        let (hidden, overflows) = unlisted.addingReportingOverflow(Int64(needs.count - shown))
        return overflows ? .max : hidden
    }

    /// As many as fit, at least one, and how many there are beyond.
    func text(for service: Service, inLines room: Int = .max, ifEmpty: String) -> String {
        var table = Table("NEEDS YOU", "ROUTE", "SINCE", "OWNER", "WHY")
        // The headings, and a line for what does not fit.
        var left = room - 2
        for need in needs {
            let remedy = need.shown("remedy").wrapped(to: Self.screenColumns - Self.mark.columns)
            left -= 1 + remedy.count
            guard left >= 0 || table.rows.isEmpty else { break }
            let since = need["since"]?.integer.map { Timestamp(milliseconds: $0).age(at: at) } ?? ""
            table.add(
                need.shown("kind").asWords.shortened(to: 20), need.shown("route"), since, need.shown("owner"),
                need.shown("why"), below: remedy.enumerated().map { ($0 == 0 ? Self.mark : Self.margin) + $1 })
        }
        let text = table.text(coloured: service.terminal.isColoured, columns: Self.screenColumns, ifEmpty: ifEmpty)
        let hidden = hidden(beyond: table.rows.count)
        guard hidden > 0 else { return text }
        let rest = room == .max ? "--owner says whose to list." : "--all lists them."
        return "\(text)\nand \(hidden) more; \(rest)"
    }

    private static let mark = "  → "
    private static let margin = "    "
}

/// How far all routes have come, in numbers.
struct ProgrammeView {
    private let answer: JSONValue

    init(_ answer: JSONValue) { self.answer = answer }

    /// The needs by kind, the routes by stage and, where not all are active, by status.
    var lines: [String] {
        guard answer.number("routes") > 0 else { return ["There are no routes."] }
        let total = answer.number("routes")
        let noun = total == 1 ? "route" : "routes"
        let parts = [
            counts("kinds", { $0.asWords }).map { "Needs: \($0)." },
            counts("stages", { $0 }).map { "\(total) \(noun): \($0)." },
            answer["statuses"]?.number("active") == total ? nil : counts("statuses", { $0.asWords }).map { "\($0)." },
        ]
        return parts.compactMap { $0 }.flatMap { $0.wrapped(to: NeedList.screenColumns) }
    }

    /// `3 held, 1 stuck`; nil when nothing is counted.
    private func counts(_ member: String, _ name: (String) -> String) -> String? {
        let counts = (answer[member]?.object?.entries ?? []).compactMap { word, count in
            count.integer.flatMap { $0 > 0 ? "\($0) \(name(word.printable))" : nil }
        }
        return counts.isEmpty ? nil : counts.joined(separator: ", ")
    }
}

extension String {
    /// A word of the wire as people read it: `rolled back in part` for `rolledBackInPart`.
    fileprivate var asWords: String {
        reduce(into: "") { text, character in
            text += character.isUppercase ? " " + character.lowercased() : String(character)
        }
    }
}
