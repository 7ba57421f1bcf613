import Rollouts
import RouteContract

/// Reads every row of the journeys and checks it: for a restore and `doctor`.
struct JourneyScan {
    let environment: Int64
    private(set) var segments: Int64 = 0
    private(set) var outcomes: Int64 = 0
    private(set) var conflicts: Int64 = 0
    /// Rows that are not what was written.
    private(set) var damaged: Int64 = 0

    init(environment: Int64) { self.environment = environment }

    mutating func run(on connection: inout Connection) throws(StoreError) {
        segments = try scan("\(SegmentRow.columns), journey FROM journey_segments", on: &connection) { rows in
            rows.withBytes(SegmentRow.count) { JourneyID(bytes: $0) }.flatMap { try? SegmentRow(rows).pin(of: $0) }
                != nil
        }
        outcomes = try scan("status, name, ended_at, checksum, journey FROM journey_outcomes", on: &connection) {
            rows in
            rows.withBytes(4) { JourneyID(bytes: $0) }.flatMap {
                try? JourneyTables.outcome(of: $0, in: rows, from: 0)
            } != nil
        }
        conflicts = try scan(
            "segment, choices, reported_at, checksum, journey FROM journey_conflicts", on: &connection
        ) { rows in
            rows.withBytes(4) { JourneyID(bytes: $0) }.flatMap {
                try? JourneyTables.conflict(of: $0, in: rows, from: 0)
            } != nil
        }
    }

    /// Counts the rows, and those that are not sound.
    private mutating func scan(
        _ select: String, on connection: inout Connection, isSound: (Statement) -> Bool
    ) throws(StoreError) -> Int64 {
        let rows = try connection.statement("SELECT \(select) WHERE environment = ?")
        rows.bind(environment, at: 1)
        var count: Int64 = 0
        while try rows.step() {
            count += 1
            if !isSound(rows) { damaged += 1 }
        }
        return count
    }
}
