import Rollouts
import RouteContract

/// The journeys in flight at one moment.
package struct LiveCount: Sendable {
    /// Milliseconds since 1970.
    package let countedAt: Int64
    /// Rows that were looked at, to the next lower multiple of a slice.
    package let scanned: Int
    /// In the order of route, build, renderer.
    package let journeys: [LiveJourneys]
}

/// Journeys that are in flight and agree in route, renderer and build.
package struct LiveJourneys: Hashable, Sendable {
    /// The upper bounds of the ages that are told apart, in milliseconds; what is older is the last.
    package static let ageBounds: [Int64] = [3_600_000, 6 * 3_600_000, 24 * 3_600_000]

    package let route: String
    package let renderer: Renderer
    package let build: BuildID
    package private(set) var count = 0
    /// How many are younger than each bound of age, and how many are older than all; not cumulative.
    package private(set) var ages = [0, 0, 0, 0]
    /// When the last of them expires, in milliseconds since 1970.
    package private(set) var lastEnd: Int64 = 0
    /// Those whose device decided and could not be followed.
    package private(set) var unverified = 0
    /// Those whose device shows something else.
    package private(set) var conflicts = 0
    /// Those in a later segment, by its reason.
    package private(set) var opened: [SegmentReason: Int] = [:]

    init(route: String, renderer: Renderer, build: BuildID) {
        self.route = route
        self.renderer = renderer
        self.build = build
    }

    mutating func add(_ row: LiveRow) {
        count += row.count
        ages[min(max(row.age, 0), ages.count - 1)] += row.count
        lastEnd = max(lastEnd, row.lastEnd)
        if row.isUnverified { unverified += row.count }
        conflicts += row.conflicts
        if let reason = row.reason { opened[reason, default: 0] += row.count }
    }
}

/// Journeys that one row of a slice stands for.
struct LiveRow {
    let build: BuildID
    /// Which of the ages.
    let age: Int
    let count: Int
    let lastEnd: Int64
    let isUnverified: Bool
    let conflicts: Int
    let reason: SegmentReason?
}

/// What was counted so far.
struct LiveTally: Sendable {
    private struct Group: Hashable {
        let route: String
        let renderer: Renderer
        let build: BuildID
    }
    private var groups: [Group: LiveJourneys] = [:]
    var scanned = 0

    mutating func add(_ row: LiveRow, choosing choices: JourneyChoices) {
        for (route, choice) in choices.all ?? [] {
            let group = Group(route: route, renderer: choice.renderer, build: row.build)
            groups[
                group, default: LiveJourneys(route: route, renderer: choice.renderer, build: row.build)
            ].add(row)
        }
    }

    func count(at now: Int64) -> LiveCount {
        let sorted = groups.values.sorted {
            ($0.route, $0.build.app, $0.build.number, $0.renderer.rawValue)
                < ($1.route, $1.build.app, $1.build.number, $1.renderer.rawValue)
        }
        return LiveCount(countedAt: now, scanned: scanned, journeys: sorted)
    }
}
