import Rollouts
import RouteContract

/// What is counted of the start of a journey.
package struct CountedStart: Sendable {
    package let flow: String
    package let unit: String
    package let build: BuildID
    /// The state of the configuration that its choices come from.
    package let epoch: Int64
    package let revision: Int64
    package let choices: JourneyChoices

    init(_ pin: JourneyDraft) {
        flow = pin.flow
        unit = pin.unit
        build = pin.build
        epoch = pin.epoch
        revision = pin.revision
        choices = pin.choices
    }

    fileprivate init(_ row: Statement) {
        flow = row.text(0)
        unit = row.text(1)
        build = BuildID(app: row.text(2), number: row.int64(3))
        epoch = row.int64(4)
        revision = row.int64(5)
        choices = JourneyChoices(text: row.bytes(6))
    }
}

extension Store {
    /// Shows all journeys whose ids are of that time or later, in slices between other reads. `visit` is called on the
    /// reader's thread.
    package func visitStarts(
        since time: Int64, _ visit: @escaping @Sendable (CountedStart) -> Void,
        completion: @escaping @Sendable (StoreOutcome<Void>) -> Void
    ) {
        let walk = StartWalk(visit: visit, completion: completion)
        read(completion) { walk.run(after: .first(at: max(0, time)), on: $0) }
    }
}

/// A walk through the starts of journeys, slice by slice.
private struct StartWalk: Sendable {
    let visit: @Sendable (CountedStart) -> Void
    let completion: @Sendable (StoreOutcome<Void>) -> Void

    func run(after id: JourneyID, on reader: Reader) {
        do {
            let slice = try reader.slice(after: id)
            try reader.visitStarts(in: slice, visit)
            guard let last = slice.last else { return completion(.committed(())) }
            reader.goOn { run(after: last, on: $0) }
        } catch {
            completion(.rejected(error))
        }
    }
}

extension Reader {
    fileprivate func visitStarts(in slice: JourneySlice, _ visit: (CountedStart) -> Void) throws(StoreError) {
        let rows = try connection.statement(
            """
            SELECT flow, unit, app, build_number, epoch, revision, choices FROM journey_segments
            WHERE environment = ?1 AND journey > ?2 AND journey <= coalesce(?3, x'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF')
                AND segment = 1 AND origin IS NOT 'unverified'
            """)
        bind(slice, to: rows)
        while try rows.step() { visit(CountedStart(rows)) }
    }
}
