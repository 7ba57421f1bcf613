import Rollouts
import RouteContract

/// Reads every row of the journeys and checks it: for a backup, a restore and `doctor`.
struct JourneyScan {
    let environment: Int64
    private(set) var segments: Int64 = 0
    private(set) var outcomes: Int64 = 0
    /// Rows that are not what was written.
    private(set) var damaged: Int64 = 0

    init(environment: Int64) { self.environment = environment }

    mutating func run(on connection: inout Connection) throws(StoreError) {
        try scanSegments(on: &connection)
        try scanOutcomes(on: &connection)
    }

    private mutating func scanSegments(on connection: inout Connection) throws(StoreError) {
        let rows = try connection.statement(
            """
            SELECT journey, segment, flow, unit, app, build_number, parent, epoch, revision, started_at, expires_at,
                choices, checksum
            FROM journey_segments WHERE environment = ?
            """)
        rows.bind(environment, at: 1)
        while try rows.step() {
            segments += 1
            guard let id = rows.withBytes(0, { JourneyID(bytes: $0) }) else {
                damaged += 1
                continue
            }
            let pin = JourneyDraft(
                id: id, flow: rows.text(2), unit: rows.text(3),
                build: BuildID(app: rows.text(4), number: rows.int64(5)),
                parent: rows.withBytes(6) { JourneyID(bytes: $0) }, epoch: rows.int64(7), revision: rows.int64(8),
                startedAt: rows.int64(9), expiresAt: rows.int64(10), choices: JourneyChoices(text: rows.bytes(11)))
            if RowChecksum.of(pin, segment: rows.int64(1)) != rows.int64(12) { damaged += 1 }
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
}
