/// Rows under headings, each column as wide as its widest cell.
struct Table {
    /// Cells, and lines that stand below them across all columns.
    struct Row {
        let cells: [String]
        let below: [String]
    }

    let headings: [String]
    private(set) var rows: [Row] = []

    init(_ headings: String...) { self.headings = headings }

    mutating func add(_ cells: String..., below: [String] = []) { rows.append(Row(cells: cells, below: below)) }

    /// The table as text; `ifEmpty` when it has no rows.
    ///
    /// Where it would be wider than `columns`, the widest cells but those of the first column are shortened.
    func text(coloured: Bool, columns: Int = .max, ifEmpty: String) -> String {
        guard !rows.isEmpty else { return ifEmpty }
        let widths = widths(within: columns)
        let head = line(headings, widths)
        let body = rows.flatMap { [line($0.cells, widths, paint: coloured)] + $0.below }
        return ([coloured ? Paint.bold.around(head) : head] + body).joined(separator: "\n")
    }

    private func widths(within columns: Int) -> [Int] {
        let all = [headings] + rows.map(\.cells)
        var widths = headings.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        let room = columns - Self.gap * (widths.count - 1)
        while widths.reduce(0, +) > room {
            guard let widest = widths.indices.dropFirst().max(by: { widths[$0] < widths[$1] }), widths[widest] > 1
            else { break }
            widths[widest] -= 1
        }
        return widths
    }

    private func line(_ cells: [String], _ widths: [Int], paint: Bool = false) -> String {
        var text = ""
        for (index, (cell, width)) in zip(cells, widths).enumerated() {
            let isLast = index == widths.count - 1
            let shown = cell.shortened(to: width)
            text += paint ? Paint.of(cell)?.around(shown) ?? shown : shown
            if !isLast { text += shown.padding(to: width + Self.gap) }
        }
        // A trailing empty cell must leave no blanks behind.
        while text.last == " " { text.removeLast() }
        return text
    }

    private static let gap = 2
}

/// Colours for the few words that must not be overlooked.
enum Paint: String {
    case bold = "1"
    case red = "31"
    case green = "32"
    case yellow = "33"

    func around(_ text: String) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }

    static func of(_ word: String) -> Paint? {
        switch word {
        case "rolledBack", "rolled back", "rolled back in part", "stopped", "fail", "overdue": .red
        case "held", "ahead", "unknown", "stuck": .yellow
        case "pass": .green
        default: nil
        }
    }
}
