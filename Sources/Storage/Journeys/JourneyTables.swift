import CSQLite
import Rollouts
import RouteContract

/// The rows of journeys as one connection reads and writes them; statements are compiled once.
struct JourneyTables {
    let environment: Int64
    private let insertSegment: Statement
    private let selectJourney: Statement
    private let selectFlow: Statement
    private let insertOutcome: Statement
    private let selectOutcome: Statement

    init(_ connection: inout Connection, environment: Int64) throws(StoreError) {
        self.environment = environment
        insertSegment = try connection.statement(
            """
            INSERT INTO journey_segments (environment, journey, segment, flow, unit, app, build_number, parent, epoch,
                revision, started_at, expires_at, choices, checksum, origin, attempt, reason, opened_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """)
        selectJourney = try connection.statement(
            """
            SELECT \(SegmentRow.columns), status, name, ended_at, journey_outcomes.checksum
            FROM journey_segments LEFT JOIN journey_outcomes USING (environment, journey)
            WHERE environment = ? AND journey = ? ORDER BY segment DESC LIMIT 1
            """)
        selectFlow = try connection.statement(
            "SELECT flow FROM journey_segments WHERE environment = ? AND journey = ? LIMIT 1")
        insertOutcome = try connection.statement(
            """
            INSERT INTO journey_outcomes (environment, journey, status, name, ended_at, checksum)
            VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """)
        selectOutcome = try connection.statement(
            "SELECT status, name, ended_at, checksum FROM journey_outcomes WHERE environment = ? AND journey = ?")
    }

    /// Inserts a segment; false when the journey has it.
    func insert(
        _ pin: JourneyDraft, segment: Int64 = 1, on connection: borrowing Connection
    ) throws(StoreError) -> Bool {
        bindKey(of: pin.id, to: insertSegment)
        insertSegment.bind(segment, at: 3)
        insertSegment.bind(pin.flow, at: 4)
        insertSegment.bind(pin.unit, at: 5)
        insertSegment.bind(pin.build.app, at: 6)
        insertSegment.bind(pin.build.number, at: 7)
        insertSegment.bind(pin.parent, at: 8)
        insertSegment.bind(pin.epoch, at: 9)
        insertSegment.bind(pin.revision, at: 10)
        insertSegment.bind(pin.startedAt, at: 11)
        insertSegment.bind(pin.expiresAt, at: 12)
        insertSegment.bindText(pin.choices.text, at: 13)
        insertSegment.bind(RowChecksum.of(pin, segment: segment), at: 14)
        insertSegment.bind(pin.origin?.rawValue, at: 15)
        insertSegment.bind(pin.opening?.attempt, at: 16)
        insertSegment.bind(pin.opening?.reason.rawValue, at: 17)
        insertSegment.bind(pin.opening?.openedAt, at: 18)
        try insertSegment.run()
        return connection.changes == 1
    }

    /// The latest segment of a journey and its outcome; nil when there is no such journey.
    func journey(_ id: JourneyID) throws(StoreError) -> JourneyRecord? {
        let row = selectJourney
        bindKey(of: id, to: row)
        guard try row.step() else { return nil }
        defer { row.reset() }
        let (segment, pin) = try SegmentRow(row).pin(of: id)
        let outcome = row.isNull(SegmentRow.count) ? nil : try Self.outcome(of: id, in: row, from: SegmentRow.count)
        return JourneyRecord(segment: segment, pin: pin, outcome: outcome)
    }

    /// Stores how a journey ended, unless that is known.
    func finish(
        _ id: JourneyID, as outcome: JourneyOutcome, at now: Int64, on connection: borrowing Connection
    ) throws(StoreError) -> FinishedJourney {
        guard let flow = try flow(of: id) else { return .notFound }
        let ended = EndedJourney(outcome: outcome, endedAt: now)
        bindKey(of: id, to: insertOutcome)
        insertOutcome.bind(outcome.status.rawValue, at: 3)
        insertOutcome.bind(outcome.name, at: 4)
        insertOutcome.bind(now, at: 5)
        insertOutcome.bind(RowChecksum.of(ended, of: id), at: 6)
        try insertOutcome.run()
        if connection.changes == 1 { return .recorded(ended, flow: flow) }
        bindKey(of: id, to: selectOutcome)
        guard try selectOutcome.step() else { return .notFound }
        defer { selectOutcome.reset() }
        let first = try Self.outcome(of: id, in: selectOutcome, from: 0)
        return first.outcome == outcome ? .repeated(first, flow: flow) : .conflict(first)
    }

    private func flow(of id: JourneyID) throws(StoreError) -> String? {
        bindKey(of: id, to: selectFlow)
        guard try selectFlow.step() else { return nil }
        defer { selectFlow.reset() }
        return selectFlow.text(0)
    }

    /// The outcome in those columns, if its row is what was written.
    static func outcome(
        of id: JourneyID, in row: Statement, from column: Int32
    ) throws(StoreError) -> EndedJourney {
        guard let status = OutcomeStatus(rawValue: row.text(column)) else {
            throw StoreError(.damagedRow, "An outcome has the unknown status \(row.text(column)). Restore a backup.")
        }
        let ended = EndedJourney(
            outcome: JourneyOutcome(status: status, name: row.optionalText(column + 1)),
            endedAt: row.int64(column + 2))
        if let checksum = row.optionalInt64(column + 3), checksum != RowChecksum.of(ended, of: id) {
            throw StoreError(
                .damagedRow, "The outcome of journey \(id) is damaged. Keep the files and restore a backup.")
        }
        return ended
    }

    func bindKey(of id: JourneyID, to statement: Statement) {
        statement.bind(environment, at: 1)
        statement.bind(id, at: 2)
    }
}

/// The columns of a segment, wherever they are read.
struct SegmentRow {
    static let columns = """
        segment, flow, unit, app, build_number, parent, epoch, revision, started_at, expires_at, choices,
        journey_segments.checksum, origin, attempt, reason, opened_at
        """
    static let count: Int32 = 16
    private let row: Statement

    /// The row that the statement stands at, whose first columns these are.
    init(_ row: Statement) { self.row = row }

    /// The segment, if its row is what was written.
    func pin(of id: JourneyID) throws(StoreError) -> (segment: Int64, pin: JourneyDraft) {
        let opening = row.withBytes(13) { JourneyID(bytes: $0) }.flatMap { attempt in
            SegmentReason(rawValue: row.text(14)).map {
                SegmentOpening(attempt: attempt, reason: $0, openedAt: row.int64(15))
            }
        }
        let pin = JourneyDraft(
            id: id, flow: row.text(1), unit: row.text(2), build: BuildID(app: row.text(3), number: row.int64(4)),
            parent: row.withBytes(5) { JourneyID(bytes: $0) }, epoch: row.int64(6), revision: row.int64(7),
            startedAt: row.int64(8), expiresAt: row.int64(9), choices: JourneyChoices(text: row.bytes(10)),
            origin: row.optionalText(12).flatMap { PinOrigin(rawValue: $0) }, opening: opening)
        let segment = row.int64(0)
        guard RowChecksum.of(pin, segment: segment) == row.int64(11) else {
            throw StoreError(.damagedRow, "The row of journey \(id) is damaged. Keep the files and restore a backup.")
        }
        return (segment, pin)
    }
}

extension Statement {
    /// Binds the sixteen bytes of an id, or NULL.
    func bind(_ id: JourneyID?, at index: Int32) {
        guard let id else {
            sqlite3_bind_null(handle, index)
            return
        }
        var bytes = (id.high.bigEndian, id.low.bigEndian)
        withUnsafeBytes(of: &bytes) { bindBlob($0, at: index) }
    }
}

extension JourneyID {
    /// The first id of that time.
    static func first(at milliseconds: Int64) -> JourneyID {
        JourneyID(milliseconds: milliseconds, randomA: 0, randomB: 0)
    }
}
