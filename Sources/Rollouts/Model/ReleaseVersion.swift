/// A version of an app or of an operating system: one to three numbers with dots between. What is missing counts as 0.
package struct ReleaseVersion: Hashable, Comparable, Sendable {
    private let major: Int
    private let minor: Int
    private let patch: Int

    /// Reads `17`, `17.4` or `17.4.1`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...9).contains(part.utf8.count), part.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        numbers += [0, 0]
        (major, minor, patch) = (numbers[0], numbers[1], numbers[2])
    }

    /// All three numbers, as rules compare them.
    var full: String { "\(major).\(minor).\(patch)" }

    /// As short as it can be written.
    package var text: String { patch > 0 ? full : minor > 0 ? "\(major).\(minor)" : "\(major)" }

    package static func < (left: ReleaseVersion, right: ReleaseVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
}
