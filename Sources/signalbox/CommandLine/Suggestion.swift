/// What somebody probably meant.
enum Suggestion {
    /// `; did you mean 'x'?`, when one of the candidates is near enough.
    static func phrase(for word: String, among candidates: [String]) -> String? {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" }
    }

    /// The candidate that is near enough to have been meant.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let bare = word.drop { $0 == "-" }
        let scored = candidates.map { (candidate: $0, distance: distance(word, $0)) }
        if let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= max(1, bare.count / 3) {
            return best.candidate
        }
        return bare.count >= 3 ? candidates.first { $0.drop { $0 == "-" }.hasPrefix(bare) } : nil
    }

    /// How many letters must be put in, left out, replaced or swapped with their neighbour.
    static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left), Array(right))
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        var rows = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in 1...a.count {
            for j in 1...b.count {
                let replacing = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, replacing)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[a.count][b.count]
    }
}
