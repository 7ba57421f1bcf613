/// A cohort that is given migrated for a while before anybody else is, and then legacy again, to see how long both take
/// to reach the clients.
package struct Rehearsal: Hashable, Sendable {
    package let cohort: String
    /// Milliseconds since 1970, as all times here.
    package let startedAt: Int64
    /// In whole seconds: the rule itself stops giving migrated then, whether or not anybody writes it down.
    package let backAt: Int64
    /// When it is judged.
    package let endsAt: Int64
    package let by: String
    /// Whether the flip back is written down, so that clients were told.
    package var isBack = false

    package init(cohort: String, startedAt: Int64, backAt: Int64, endsAt: Int64, by: String) {
        self.cohort = cohort
        self.startedAt = startedAt
        self.backAt = backAt - backAt % 1_000
        self.endsAt = endsAt
        self.by = by
    }

    /// The length of each half, in seconds.
    package static let seconds: ClosedRange<Int64> = 60...3_600
}
