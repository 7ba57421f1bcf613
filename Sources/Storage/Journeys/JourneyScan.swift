import Rollouts
import RouteContract

/// Reads every row of the journeys and checks it: for a restore and `doctor`.
struct JourneyScan {
    private var rows: RowScan
    private(set) var segments: Int64 = 0
    private(set) var outcomes: Int64 = 0
    private(set) var conflicts: Int64 = 0
    /// Rows that are not what was written.
    var damaged: Int64 { rows.damaged }

    init(environment: Int64) { rows = RowScan(of: environment) }

    mutating func run(on connection: inout Connection) throws(StoreError) {
        segments = try rows.count("\(SegmentRow.columns), journey FROM journey_segments", on: &connection) { rows in
            rows.withBytes(SegmentRow.count) { JourneyID(bytes: $0) }.flatMap { try? SegmentRow(rows).pin(of: $0) }
                != nil
        }
        outcomes = try rows.count("status, name, ended_at, checksum, journey FROM journey_outcomes", on: &connection) {
            rows in
            rows.withBytes(4) { JourneyID(bytes: $0) }.flatMap {
                try? JourneyTables.outcome(of: $0, in: rows, from: 0)
            } != nil
        }
        conflicts = try rows.count(
            "segment, choices, reported_at, checksum, journey FROM journey_conflicts", on: &connection
        ) { rows in
            rows.withBytes(4) { JourneyID(bytes: $0) }.flatMap {
                try? JourneyTables.conflict(of: $0, in: rows, from: 0)
            } != nil
        }
    }
}
