/// A scan, for people: what is left, and what is to be done about it.
struct ReferenceReport {
    private let scan: ReferenceScan
    private let commit: SourceCommit?

    init(of scan: ReferenceScan, _ commit: SourceCommit?) {
        self.scan = scan
        self.commit = commit
    }

    func text(coloured: Bool) -> String {
        var parts = [
            "\(scan.total) references and \(scan.totalInComments) in comments, in \(scan.files) files with "
                + "\(scan.lines) lines; \(place)"
        ]
        var table = Table("LINE", "NAME", "KIND")
        for reference in scan.references {
            table.add(
                "\(reference.path):\(reference.line)".printable, reference.symbol.printable,
                reference.isComment ? "comment" : reference.kind.rawValue)
        }
        parts.append(table.text(coloured: coloured, ifEmpty: ""))
        let left = scan.total + scan.totalInComments - scan.references.count
        if left > 0 { parts.append("and \(left) more") }
        parts.append(checklist.joined(separator: "\n"))
        parts.append(
            scan.unreadable.prefix(50).map { "not read: \($0.path): \($0.reason)".printable }.joined(separator: "\n"))
        if !scan.skipped.isEmpty {
            parts.append("passed over: " + scan.skipped.prefix(20).joined(separator: ", ").printable)
        }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var place: String {
        guard let commit else { return "the folder is at no commit, so this is no evidence" }
        let state = commit.isDirty == false ? "" : ", from which the folder differs"
        return "at commit \(commit.id.prefix(12))\(state)"
    }

    /// One line a kind of file that has references.
    private var checklist: [String] {
        SourceKind.allCases.compactMap { kind in
            let found = scan.references.filter { $0.kind == kind && !$0.isComment }
            guard !found.isEmpty else { return nil }
            return "[ ] \(found.count) in \(kind.rawValue): \(kind.removal)"
        }
    }
}
