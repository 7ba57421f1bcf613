import Rollouts
import RouteContract

/// What is asked for seldom: its statements are compiled when they are first needed.
extension JourneyTables {
    /// The segment that an attempt opened; nil when it opened none.
    func segment(
        openedBy attempt: JourneyID, of id: JourneyID, on connection: inout Connection
    ) throws(StoreError) -> JourneyRecord? {
        let row = try connection.statement(
            """
            SELECT \(SegmentRow.columns) FROM journey_segments WHERE environment = ? AND journey = ? AND attempt = ?
            LIMIT 1
            """)
        bindKey(of: id, to: row)
        row.bind(attempt, at: 3)
        guard try row.step() else { return nil }
        defer { row.reset() }
        let (segment, pin) = try SegmentRow(row).pin(of: id)
        return JourneyRecord(segment: segment, pin: pin)
    }

    /// Every segment of a journey, the first first.
    func segments(of id: JourneyID, on connection: inout Connection) throws(StoreError) -> [JourneyRecord] {
        let rows = try connection.statement(
            """
            SELECT \(SegmentRow.columns) FROM journey_segments WHERE environment = ? AND journey = ? ORDER BY segment
            """)
        bindKey(of: id, to: rows)
        defer { rows.reset() }
        var records: [JourneyRecord] = []
        while try rows.step() {
            let (segment, pin) = try SegmentRow(rows).pin(of: id)
            records.append(JourneyRecord(segment: segment, pin: pin))
        }
        return records
    }

    /// The conflict that was reported of a journey.
    func conflict(of id: JourneyID, on connection: inout Connection) throws(StoreError) -> JourneyConflict? {
        let row = try connection.statement(
            """
            SELECT segment, choices, reported_at, checksum FROM journey_conflicts WHERE environment = ? AND journey = ?
            """)
        bindKey(of: id, to: row)
        guard try row.step() else { return nil }
        defer { row.reset() }
        return try Self.conflict(of: id, in: row, from: 0)
    }

    /// The conflict in those columns, if its row is what was written.
    static func conflict(of id: JourneyID, in row: Statement, from column: Int32) throws(StoreError) -> JourneyConflict
    {
        let conflict = JourneyConflict.choices(row.text(column + 1)).map {
            JourneyConflict(segment: row.int64(column), choices: $0, reportedAt: row.int64(column + 2))
        }
        guard let conflict, RowChecksum.of(conflict, of: id) == row.int64(column + 3) else {
            throw StoreError(
                .damagedRow, "The conflict of journey \(id) is damaged. Keep the files and restore a backup.")
        }
        return conflict
    }

    /// Stores what a device showed, unless it is what is pinned or something was reported before. Of routes for which the
    /// journey has no choice there is nothing to differ from.
    func report(
        _ choices: [String: Renderer], of id: JourneyID, at now: Int64, on connection: inout Connection
    ) throws(StoreError) -> ReportedConflict {
        guard let record = try journey(id) else { return .notFound }
        if let first = try conflict(of: id, on: &connection) { return .stands(first, isNew: false) }
        let pinned = Dictionary(
            (record.pin.choices.all ?? []).map { ($0.route, $0.choice.renderer) },
            uniquingKeysWith: { first, _ in first })
        let choices = choices.filter { pinned[$0.key] != nil }
        guard choices.contains(where: { pinned[$0] != $1 }) else { return .none }
        let conflict = JourneyConflict(segment: record.segment, choices: choices, reportedAt: now)
        let insert = try connection.statement(
            """
            INSERT INTO journey_conflicts (environment, journey, segment, choices, reported_at, checksum)
            VALUES (?, ?, ?, ?, ?, ?)
            """)
        bindKey(of: id, to: insert)
        insert.bind(conflict.segment, at: 3)
        insert.bind(conflict.text, at: 4)
        insert.bind(conflict.reportedAt, at: 5)
        insert.bind(RowChecksum.of(conflict, of: id), at: 6)
        try insert.run()
        return .stands(conflict, isNew: true)
    }
}
