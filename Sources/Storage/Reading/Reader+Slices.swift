import Rollouts
import RouteContract

/// Journeys whose ids lie after one id, up to and including another.
struct JourneySlice {
    let after: JourneyID
    /// Nil: to the end.
    let last: JourneyID?

    /// Journeys in one slice: some 5 ms of work.
    static let size = 5_000
}

extension Reader {
    /// The slice that begins behind this id.
    func slice(after: JourneyID) throws(StoreError) -> JourneySlice {
        let bound = try connection.statement(
            """
            SELECT journey FROM journey_segments WHERE environment = ? AND journey > ? ORDER BY journey
            LIMIT 1 OFFSET ?
            """)
        bound.bind(environment.id, at: 1)
        bound.bind(after, at: 2)
        bound.bind(JourneySlice.size - 1, at: 3)
        guard try bound.step() else { return JourneySlice(after: after, last: nil) }
        defer { bound.reset() }
        return JourneySlice(after: after, last: bound.withBytes(0) { JourneyID(bytes: $0) })
    }

    /// Binds the slice to the parameters 2 and 3; the environment is 1.
    private func bind(_ slice: JourneySlice, to statement: Statement) {
        statement.bind(environment.id, at: 1)
        statement.bind(slice.after, at: 2)
        statement.bind(slice.last, at: 3)
    }

    /// Adds to `counts` the journeys of a slice that are in flight, by route, renderer and build.
    func countLive(
        in slice: JourneySlice, of flow: String, at now: Int64, into counts: inout [LiveJourneys.Group: Int]
    ) throws(StoreError) {
        let rows = try connection.statement(
            """
            SELECT choices, app, build_number, count(*) FROM journey_segments AS latest
            WHERE environment = ?1 AND journey > ?2 AND journey <= coalesce(?3, x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') AND flow = ?4 AND expires_at > ?5
                AND NOT EXISTS (
                    SELECT 1 FROM journey_outcomes AS ended
                    WHERE ended.environment = latest.environment AND ended.journey = latest.journey)
                AND NOT EXISTS (
                    SELECT 1 FROM journey_segments AS later
                    WHERE later.environment = latest.environment AND later.journey = latest.journey
                        AND later.segment > latest.segment)
            GROUP BY choices, app, build_number
            """)
        bind(slice, to: rows)
        rows.bind(flow, at: 4)
        rows.bind(now, at: 5)
        while try rows.step() {
            let build = BuildID(app: rows.text(1), number: rows.int64(2))
            guard let choices = JourneyChoices(text: rows.bytes(0)).all else { continue }
            for (route, choice) in choices {
                let group = LiveJourneys.Group(route: route, renderer: choice.renderer, build: build)
                counts[group, default: 0] += rows.int(3)
            }
        }
    }

    /// Counts the journeys of a slice that had not expired at a time, and those among them with ids before `firstKept`.
    func countUnexpired(
        in slice: JourneySlice, at time: Int64, before firstKept: JourneyID
    ) throws(StoreError) -> (all: Int, affected: Int) {
        let row = try connection.statement(
            """
            SELECT count(*), count(*) FILTER (WHERE journey < ?5) FROM journey_segments
            WHERE environment = ?1 AND journey > ?2 AND journey <= coalesce(?3, x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') AND expires_at > ?4
            """)
        bind(slice, to: row)
        row.bind(time, at: 4)
        row.bind(firstKept, at: 5)
        guard try row.step() else { return (0, 0) }
        defer { row.reset() }
        return (row.int(0), row.int(1))
    }
}

extension LiveJourneys {
    /// What counted journeys agree in.
    struct Group: Hashable, Sendable {
        let route: String
        let renderer: Renderer
        let build: BuildID
    }

    /// Groups in the order of route, build, renderer.
    static func sorted(_ counts: [Group: Int]) -> [LiveJourneys] {
        counts.map { LiveJourneys(route: $0.route, renderer: $0.renderer, build: $0.build, count: $1) }
            .sorted {
                ($0.route, $0.build.app, $0.build.number, $0.renderer.rawValue)
                    < ($1.route, $1.build.app, $1.build.number, $1.renderer.rawValue)
            }
    }
}
