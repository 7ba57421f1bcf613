extension String {
    /// How many columns of a terminal the text takes: wide characters take two.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Blanks up to a width.
    func padding(to width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) }
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
