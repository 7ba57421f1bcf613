/// When ladders were looked at last: how long nobody could have climbed them.
struct LadderLook: Sendable {
    /// Milliseconds since 1970: the last look, or before the first one the last time at which a process was alive.
    private var time: Int64
    private var isOfThisProcess = false

    /// Looks are seconds apart, so a longer gap within one process is a clock that jumped.
    private static let longestGap: Int64 = 60_000
    /// Longer than that a service is not down unnoticed; a clock that is far ahead is likelier.
    private static let longestOutage: Int64 = 7 * 86_400_000

    init(lastAlive time: Int64) { self.time = time }

    /// Looks now, and gives the time from which on hold times that nobody waited out may count.
    ///
    /// A clock that jumped ahead folds no steps: then that is now.
    mutating func look(at now: Int64) -> Int64 {
        let (gap, overflows) = now.subtractingReportingOverflow(time)
        let isBelieved = !overflows && gap <= (isOfThisProcess ? Self.longestGap : Self.longestOutage)
        defer { (time, isOfThisProcess) = (now, true) }
        return isBelieved ? time : now
    }
}
