/// What may stand in a log.
///
/// Log lines are made of chosen fields and hold no bodies, queries or context values. This is the second line: whatever
/// text gets into a field passes here, and what looks like a key leaves only its kind and id.
enum Redaction {
    /// The most bytes of one field.
    static let longest = 512

    /// The text, cut, with the secrets of keys masked.
    static func redacted(_ text: String) -> String {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty, output.count < longest {
            guard rest.starts(with: "sb_".utf8) else {
                output.append(rest.removeFirst())
                continue
            }
            let word = rest.prefix(while: isWordByte)
            output.append(contentsOf: masked(word))
            rest = rest.dropFirst(word.count)
        }
        let isCut = output.count > longest || !rest.isEmpty
        return String(decoding: output.prefix(longest), as: UTF8.self) + (isCut ? "…" : "")
    }

    /// `sb_kind_id_***`, or `sb_***` for what has no such parts.
    private static func masked(_ word: ArraySlice<UInt8>) -> [UInt8] {
        let parts = word.split(separator: underscore, omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[1].count <= 16, parts[2].count <= 16 else { return Array("sb_***".utf8) }
        return Array(parts[..<3].joined(separator: [underscore])) + Array("_***".utf8)
    }

    private static let underscore = UInt8(ascii: "_")

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), underscore:
            true
        default: false
        }
    }
}
