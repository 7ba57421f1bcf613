import RouteContract

/// A sweep on its way: it deletes in slices, so that starts and changes never wait for more than one of them.
struct Sweep: Sendable {
    let now: Int64
    /// Whether the time is remembered as one that was believed.
    var isBelieved = true
    var deletedRows = 0
    var isDone = false

    /// No id is accepted whose journey could not be in flight: 7 days is the longest lifetime. One more is margin for
    /// clocks.
    static let keptMilliseconds: Int64 = 8 * 86_400_000

    /// Rows of one table that one slice takes.
    static let slice = 500

    /// Ids from here on are kept.
    var firstKept: JourneyID { .first(at: now.subtractingReportingOverflow(Self.keptMilliseconds).partialValue) }

    /// Ids from here on lie further ahead than a start may: a day.
    var firstTooEarly: JourneyID { .first(at: now.addingReportingOverflow(86_400_000).partialValue) }
}

extension Writer {
    /// Deletes one slice.
    func delete(for sweep: Sweep) throws(StoreError) -> Sweep {
        var sweep = sweep
        let before = sweep.deletedRows
        for table in ["journey_segments", "journey_outcomes", "journey_conflicts"] {
            let statement = try connection.statement(
                """
                DELETE FROM \(table) WHERE environment = ?1 AND journey < coalesce(
                    (SELECT journey FROM \(table) WHERE environment = ?1 AND journey < ?2
                     ORDER BY journey LIMIT 1 OFFSET ?3), ?2)
                """)
            statement.bind(environment.id, at: 1)
            statement.bind(sweep.firstKept, at: 2)
            statement.bind(Sweep.slice, at: 3)
            try statement.run()
            sweep.deletedRows += connection.changes
            if table == "journey_segments" { pins.swept &+= Int64(connection.changes) }
        }
        if sweep.deletedRows == before {
            sweep.isDone = true
            if sweep.isBelieved {
                try environment.setSwept(by: sweep, on: &connection)
                try BuildStarts.forget(in: environment.id, at: sweep.now, on: &connection)
            }
        }
        return sweep
    }

    /// Queues the next slice behind what waits by now, or tells what was deleted.
    func goOn(with sweep: Sweep, _ completion: @escaping @Sendable (StoreOutcome<SweepReport>) -> Void) {
        if sweep.isDone || queue.isClosed {
            completion(.committed(SweepReport(deletedRows: sweep.deletedRows, refusal: nil)))
        } else {
            _ = queue.add(.sweep(sweep, completion), isContinuing: true)
        }
    }
}
