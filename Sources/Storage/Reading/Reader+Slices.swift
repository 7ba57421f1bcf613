import Rollouts
import RouteContract

/// Journeys whose ids lie after one id, up to and including another.
struct JourneySlice {
    let after: JourneyID
    /// Nil: to the end.
    let last: JourneyID?

    /// Segments in one slice, and the rest of the last journey's: some 5 ms of work.
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
    func bind(_ slice: JourneySlice, to statement: Statement) {
        statement.bind(environment.id, at: 1)
        statement.bind(slice.after, at: 2)
        statement.bind(slice.last, at: 3)
    }

    /// Adds to `tally` the journeys of a slice that are in flight.
    func countLive(in slice: JourneySlice, at now: Int64, into tally: inout LiveTally) throws(StoreError) {
        let bounds = LiveJourneys.ageBounds.map { "(?4 - started_at >= \($0))" }.joined(separator: " + ")
        let rows = try connection.statement(
            """
            SELECT choices, app, build_number, \(bounds) AS age, origin, reason, count(*), max(expires_at),
                sum((SELECT count(*) FROM journey_conflicts AS told
                    WHERE told.environment = latest.environment AND told.journey = latest.journey))
            FROM journey_segments AS latest
            WHERE environment = ?1 AND journey > ?2 AND journey <= coalesce(?3, x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') AND expires_at > ?4
                AND NOT EXISTS (
                    SELECT 1 FROM journey_outcomes AS ended
                    WHERE ended.environment = latest.environment AND ended.journey = latest.journey)
                AND NOT EXISTS (
                    SELECT 1 FROM journey_segments AS later
                    WHERE later.environment = latest.environment AND later.journey = latest.journey
                        AND later.segment > latest.segment)
            GROUP BY choices, app, build_number, age, origin, reason
            """)
        bind(slice, to: rows)
        rows.bind(now, at: 4)
        while try rows.step() {
            let row = LiveRow(
                build: BuildID(app: rows.text(1), number: rows.int64(2)), age: rows.int(3), count: rows.int(6),
                lastEnd: rows.int64(7), isUnverified: rows.optionalText(4) == PinOrigin.unverified.rawValue,
                conflicts: rows.int(8), reason: rows.optionalText(5).flatMap { SegmentReason(rawValue: $0) })
            tally.add(row, choosing: JourneyChoices(text: rows.bytes(0)))
        }
    }

    /// Counts the journeys of a slice that had not expired at a time, and those among them with ids before `firstKept`.
    /// By their first segments: all of a journey expire together.
    func countUnexpired(
        in slice: JourneySlice, at time: Int64, before firstKept: JourneyID
    ) throws(StoreError) -> (all: Int, affected: Int) {
        let row = try connection.statement(
            """
            SELECT count(*), count(*) FILTER (WHERE journey < ?5) FROM journey_segments
            WHERE environment = ?1 AND journey > ?2 AND journey <= coalesce(?3, x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') AND segment = 1
                AND expires_at > ?4
            """)
        bind(slice, to: row)
        row.bind(time, at: 4)
        row.bind(firstKept, at: 5)
        guard try row.step() else { return (0, 0) }
        defer { row.reset() }
        return (row.int(0), row.int(1))
    }
}
