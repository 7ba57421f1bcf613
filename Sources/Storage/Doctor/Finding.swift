/// One thing that was looked at, how it is, and what to do about it.
package struct Finding: Hashable, Sendable {
    package enum Verdict: String, Sendable, CaseIterable {
        case ok
        /// It works, and should be seen to.
        case advice
        case fault
    }

    /// A word: `log`, `audit`, `disk`, …
    package let name: String
    package let verdict: Verdict
    package let found: String
    /// What to do; empty when all is well.
    package let remedy: String

    package init(_ name: String, _ verdict: Verdict, _ found: String, remedy: String = "") {
        self.name = name
        self.verdict = verdict
        self.found = found
        self.remedy = remedy
    }
}

extension [Finding] {
    /// The worst of all.
    package var verdict: Finding.Verdict {
        contains { $0.verdict == .fault } ? .fault : contains { $0.verdict == .advice } ? .advice : .ok
    }
}
