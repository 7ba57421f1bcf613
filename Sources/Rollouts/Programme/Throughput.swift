import RouteContract

/// How many routes came to a stage in a time, as it was.
package struct Throughput: Hashable, Sendable {
    /// Milliseconds since 1970.
    package let since: Int64
    package let until: Int64
    /// How often a route came to the stage, or past it, from before.
    package let reached: Int
    /// How often one that was there went back before it, on purpose or by a rollback.
    package let fellBack: Int

    /// Of a shorter time nothing is concluded.
    package static let leastDays = 7.0

    /// Moves of other routes, and those outside of the time, are passed over.
    package init(of moves: [StageMove], by routes: Set<String>, to stage: Stage, since: Int64, until: Int64) {
        self.since = since
        self.until = max(since, until)
        let counted = moves.filter { routes.contains($0.route) && $0.at >= since && $0.at <= until }
        reached = counted.count { $0.from < stage && $0.to >= stage }
        fellBack = counted.count { $0.from >= stage && $0.to < stage }
    }

    package var days: Double { (Double(until) - Double(since)) / 86_400_000 }

    /// The routes by which it came nearer in a day; negative when more fell back. Nil when that cannot be told yet.
    package var perDay: Double? { days < Self.leastDays ? nil : Double(reached - fellBack) / days }

    /// The days until that many more routes are there at this pace; nil when it leads nowhere.
    package func days(until left: Int) -> Double? {
        guard left > 0 else { return 0 }
        guard let perDay, perDay > 0 else { return nil }
        return Double(left) / perDay
    }
}
