#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many releases it takes until all routes are done, if a share of them is touched in each.
///
/// It says what would follow from an assumption, not what will happen; `Throughput` says what did.
package struct Forecast: Hashable, Sendable {
    /// What is assumed of a release.
    package enum Model: String, CaseIterable, Sendable {
        /// It moves `total × share` routes that are not done yet: people choose what they touch.
        case linear
        /// It touches each route with a probability of the share, done or not: of those that are left `1 − share` stay, and
        /// after n releases `left × (1 − share)ⁿ` are expected to be left.
        case randomTouching
    }

    /// After how many releases a part of all routes is done.
    package struct Milestone: Hashable, Sendable {
        /// Of 100 000.
        package let part: Int
        /// Nil when that is never.
        package let releases: Double?

        /// The release with which it is so. What a logarithm adds beyond the ninth place makes no release more.
        package var wholeReleases: Int? { releases.map { Int(($0 - 1e-9).rounded(.up)) } }
    }

    /// The routes that are to be done. Those that stay legacy on purpose are not among them.
    package let total: Int
    /// Those among them that are.
    package let done: Int
    /// What a release touches of all routes, of 100 000.
    package let share: Int

    /// More routes count as this many.
    package static let mostRoutes = 1_000_000
    /// What a release touches unless it is said: 5 %.
    package static let usualShare = 5_000
    /// The parts of all routes that a forecast tells of: half, 95 %, 99 % and all.
    package static let parts = [50_000, 95_000, 99_000, RolloutPlan.wholeShare]

    /// What lies outside of its range counts as the nearest value inside.
    package init(total: Int, done: Int, share: Int) {
        self.total = min(max(total, 0), Self.mostRoutes)
        self.done = min(max(done, 0), self.total)
        self.share = min(max(share, 0), RolloutPlan.wholeShare)
    }

    package var left: Int { total - done }

    /// The same before any route was done.
    package var fromStart: Forecast { Forecast(total: total, done: 0, share: share) }

    /// How many routes a release moves by the linear model.
    package var routesPerRelease: Double { Double(total * share) / Double(RolloutPlan.wholeShare) }

    /// From where the routes are now, in the order of `parts`.
    package func milestones(by model: Model) -> [Milestone] {
        Self.parts.map { Milestone(part: $0, releases: releases(until: $0, by: model)) }
    }

    /// 0 when the part is done already, nil when it never is.
    ///
    /// By random touching the last route has no certain end. All count as done when on average no more than half a route is
    /// left, for it is then likelier that none is than that one is; of fewer than fifty routes when one in a hundred is left,
    /// so that all are not done before 99 % are. So n = ln(left / allowed) / −ln(1 − share).
    private func releases(until part: Int, by model: Model) -> Double? {
        let whole = RolloutPlan.wholeShare
        // In 100 000ths of a route.
        let missing = total * part - done * whole
        guard missing > 0 else { return 0 }
        guard share > 0 else { return nil }
        switch model {
        case .linear: return Double(missing) / Double(total * share)
        case .randomTouching:
            guard share < whole else { return 1 }
            let allowed =
                part == whole ? min(0.5, Double(total) * 0.01) : Double(total * (whole - part)) / Double(whole)
            return log(Double(left) / allowed) / -log1p(-Double(share) / Double(whole))
        }
    }
}
