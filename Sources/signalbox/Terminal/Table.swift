/// Rows under headings, each column as wide as its widest cell.
struct Table {
    let headings: [String]
    private(set) var rows: [[String]] = []

    init(_ headings: String...) { self.headings = headings }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The table as text; `ifEmpty` when it has no rows.
    func text(coloured: Bool, ifEmpty: String) -> String {
        guard !rows.isEmpty else { return ifEmpty }
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        let head = line(headings, widths)
        let body = rows.map { line($0, widths, paint: coloured) }
        return ([coloured ? Paint.bold.around(head) : head] + body).joined(separator: "\n")
    }

    private func line(_ cells: [String], _ widths: [Int], paint: Bool = false) -> String {
        var text = ""
        for (index, (cell, width)) in zip(cells, widths).enumerated() {
            let isLast = index == widths.count - 1
            text += paint ? Paint.of(cell)?.around(cell) ?? cell : cell
            if !isLast { text += cell.padding(to: width + 2) }
        }
        // A trailing empty cell must leave no blanks behind.
        while text.last == " " { text.removeLast() }
        return text
    }
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
        case "rolledBack", "rolled back", "fail", "overdue": .red
        case "held", "unknown", "stuck": .yellow
        case "pass": .green
        default: nil
        }
    }
}
