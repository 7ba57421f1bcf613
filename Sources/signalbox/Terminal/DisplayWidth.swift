extension String {
    /// How many columns of a terminal the text takes: wide characters take two.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Blanks up to a width.
    func padding(to width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) }

    /// The text, or as much of it as fits into a width with an ellipsis.
    func shortened(to width: Int) -> String {
        guard columns > width else { return self }
        return width < 1 ? "" : beginning(of: width - 1) + "…"
    }

    /// The lines of the text in a width, broken between words; a word that is wider than that is broken anywhere.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if !line.isEmpty, line.columns + 1 + String(word).columns > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? word : " " + word
            while line.columns > width, line.count > 1 {
                // At least one character, however wide it is.
                let start = line.beginning(of: width)
                let length = max(1, start.count)
                lines.append(String(line.prefix(length)))
                line.removeFirst(length)
            }
        }
        return lines + [line]
    }

    /// The most characters from the start that fit into a width.
    private func beginning(of width: Int) -> String {
        var left = width
        return String(
            prefix { character in
                left -= character.columns
                return left >= 0
            })
    }
}

extension Character {
    fileprivate var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isWide || first.properties.isEmojiPresentation { return 2 }
        // U+FE0F asks for the coloured picture of a character that is narrow otherwise.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }
}

extension Unicode.Scalar {
    /// The blocks that are East Asian Wide or Fullwidth. Source: Unicode Standard Annex #11.
    private static let wideBlocks: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    fileprivate var isWide: Bool { Self.wideBlocks.contains { $0.contains(value) } }
}
