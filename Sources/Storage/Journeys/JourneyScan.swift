import Rollouts
import RouteContract

/// Reads every row of the journeys and checks it: for a backup, a restore and `doctor`.
struct JourneyScan {
    let environment: Int64
    private(set) var segments: Int64 = 0
    private(set) var outcomes: Int64 = 0
    private(set) var conflicts: Int64 = 0
    /// Rows that are not what was written.
    private(set) var damaged: Int64 = 0

    init(environment: Int64) { self.environment = environment }

    mutating func run(on connection: inout Connection) throws(StoreError) {
        try scanSegments(on: &connection)
        try scanOutcomes(on: &connection)
        try scanConflicts(on: &connection)
    }

    private mutating func scanSegments(on connection: inout Connection) throws(StoreError) {
        let rows = try connection.statement(
            "SELECT \(SegmentRow.columns), journey FROM journey_segments WHERE environment = ?")
        rows.bind(environment, at: 1)
        while try rows.step() {
            segments += 1
            guard let id = rows.withBytes(SegmentRow.count, { JourneyID(bytes: $0) }),
                (try? SegmentRow(rows).pin(of: id)) != nil
            else {
                damaged += 1
                continue
            }
        }
    }

    private mutating func scanOutcomes(on connection: inout Connection) throws(StoreError) {
        let rows = try connection.statement(
            "SELECT journey, status, name, ended_at, checksum FROM journey_outcomes WHERE environment = ?")
        rows.bind(environment, at: 1)
        let tables = try JourneyTables(&connection, environment: environment)
        while try rows.step() {
            outcomes += 1
            guard let id = rows.withBytes(0, { JourneyID(bytes: $0) }),
                (try? tables.outcome(of: id, in: rows, from: 1)) != nil
            else {
                damaged += 1
                continue
            }
        }
    }

    private mutating func scanConflicts(on connection: inout Connection) throws(StoreError) {
        let rows = try connection.statement(
            "SELECT segment, choices, reported_at, checksum, journey FROM journey_conflicts WHERE environment = ?")
        rows.bind(environment, at: 1)
        while try rows.step() {
            conflicts += 1
            guard let id = rows.withBytes(4, { JourneyID(bytes: $0) }),
                (try? JourneyTables.conflict(of: id, in: rows, from: 0)) != nil
            else {
                damaged += 1
                continue
            }
        }
    }
}
