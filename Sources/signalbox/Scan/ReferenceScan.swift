import FlagEvaluation

/// Looks for names in a source tree.
struct ReferenceScan {
    struct Reference: Equatable {
        let symbol: String
        let kind: SourceKind
        let isComment: Bool
        let path: String
        /// Counted from 1.
        let line: Int
    }

    private(set) var references: [Reference] = []
    /// How many references, and how many comments, there are; the list may be shorter.
    private(set) var total = 0
    private(set) var totalInComments = 0
    private(set) var files = 0
    private(set) var lines = 0
    private(set) var unreadable: [SourceTree.Unreadable]
    let skipped: [String]
    let patterns: [SymbolMatcher.Pattern]

    static let mostListed = 2_000

    init(of root: String, for patterns: [SymbolMatcher.Pattern]) {
        self.patterns = patterns
        let tree = SourceTree(at: root)
        unreadable = tree.unreadable
        skipped = tree.skipped
        let matcher = SymbolMatcher(patterns)
        var reader = SourceReader()
        for file in tree.files {
            do throws(ValueError) {
                look(into: file, try reader.read("\(root)/\(file.path)"), matcher)
            } catch {
                unreadable.append(SourceTree.Unreadable(path: file.path, reason: error.reason))
            }
        }
    }

    /// What the scan shows: references that block, or files that nobody looked into.
    var verdict: ExitCode {
        if total > 0 { return .refused }
        return unreadable.isEmpty ? .done : .inconclusive
    }

    private mutating func look(
        into file: SourceTree.File, _ bytes: UnsafeBufferPointer<UInt8>, _ matcher: SymbolMatcher
    ) {
        files += 1
        if let text = Self.fromUTF16(bytes) {
            return text.withUnsafeBufferPointer { look(into: file, utf8: $0, matcher) }
        }
        look(into: file, utf8: bytes, matcher)
    }

    private mutating func look(
        into file: SourceTree.File, utf8 bytes: UnsafeBufferPointer<UInt8>, _ matcher: SymbolMatcher
    ) {
        // A binary property list has no quotes, and lengths where text has blanks.
        let isText = !bytes.prefix(4_096).contains(0)
        lines += Self.newlines(bytes)
        let matches = matcher.matches(in: bytes, isText: isText).sorted { $0.offset < $1.offset }
        guard !matches.isEmpty else { return }
        let commented = file.kind.commented(matches.map(\.offset), in: bytes)
        var (line, counted) = (1, 0)
        for (match, isComment) in zip(matches, commented) {
            line += Self.newlines(UnsafeBufferPointer(rebasing: bytes[counted..<match.offset]))
            counted = match.offset
            if isComment { totalInComments += 1 } else { total += 1 }
            guard references.count < Self.mostListed else { continue }
            references.append(
                Reference(
                    symbol: matcher.patterns[match.pattern].text, kind: file.kind, isComment: isComment,
                    path: file.path, line: line))
        }
    }

    private static func newlines(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var count = 0
        for byte in bytes where byte == 0x0A { count &+= 1 }
        return count
    }

    /// Files of strings are still found in UTF-16.
    private static func fromUTF16(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2, bytes.count.isMultiple(of: 2) else { return nil }
        let isBig: Bool
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): isBig = true
        case (0xFF, 0xFE): isBig = false
        default: return nil
        }
        let units = stride(from: 2, to: bytes.count, by: 2).map { place in
            let pair = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBig ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}

extension ReferenceScan {
    /// The scan as an artefact of evidence.
    func json(route: String?, commit: SourceCommit?) -> JSONObject {
        func list(_ isKey: Bool) -> JSONValue {
            .array(patterns.filter { $0.isKey == isKey }.map { .string($0.text) })
        }
        let verdicts: [ExitCode: JSONValue] = [.done: "pass", .refused: "fail"]
        return [
            "kind": "codeReferences", "scanner": .string("signalbox/\(version)"),
            "route": route.map { .string($0) } ?? .null,
            "commit": commit.map { .string($0.id) } ?? .null, "dirty": commit?.isDirty.map { .bool($0) } ?? .null,
            "folder": commit.map { .string($0.folder) } ?? .null, "symbols": list(false), "keys": list(true),
            "files": .integer(Int64(files)), "lines": .integer(Int64(lines)),
            "verdict": verdicts[verdict] ?? "inconclusive", "total": .integer(Int64(total)),
            "inComments": .integer(Int64(totalInComments)),
            "references": .array(
                references.map { reference in
                    [
                        "symbol": .string(reference.symbol),
                        "kind": .string(reference.isComment ? "comment" : reference.kind.rawValue),
                        "file": .string(reference.path), "line": .integer(Int64(reference.line)),
                    ]
                }),
            "unreadable": .array(
                unreadable.prefix(Self.mostListed).map { ["path": .string($0.path), "reason": .string($0.reason)] }),
            "unreadableTotal": .integer(Int64(unreadable.count)),
            "skipped": .array(skipped.prefix(Self.mostListed).map { .string($0) }),
        ]
    }
}
