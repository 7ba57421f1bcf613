import Rollouts

/// The row of one environment: its place in the order of its configurations.
struct EnvironmentTable {
    let id: Int64

    init(id: Int64) { self.id = id }

    /// Finds the environment; nil when the database has none of that name.
    init?(existing name: String, on connection: inout Connection) throws(StoreError) {
        let select = try connection.statement("SELECT id FROM environments WHERE name = ?")
        select.bind(name, at: 1)
        guard try select.step() else { return nil }
        defer { select.reset() }
        id = select.int64(0)
    }

    /// Finds the environment, or creates it at epoch 1 and revision 0.
    init(named name: String, at now: Int64, on connection: inout Connection) throws(StoreError) {
        let insert = try connection.statement(
            "INSERT INTO environments (name, epoch, revision, swept_at) VALUES (?, 1, 0, ?) ON CONFLICT DO NOTHING")
        insert.bind(name, at: 1)
        insert.bind(now, at: 2)
        try insert.run()
        guard let found = try EnvironmentTable(existing: name, on: &connection) else {
            throw StoreError(.corrupt, "The environment \(name) is gone.")
        }
        self = found
    }

    /// The environment's configuration as it is stored.
    func configuration(on connection: inout Connection) throws(StoreError) -> Configuration {
        let select = try connection.statement("SELECT name, epoch, revision FROM environments WHERE id = ?")
        select.bind(id, at: 1)
        guard try select.step() else { throw StoreError(.corrupt, "The environment's row is gone.") }
        var configuration = Configuration(
            environment: select.text(0), epoch: select.int64(1), revision: select.int64(2))
        select.reset()
        try ConfigurationTables(environment: id).load(into: &configuration, from: &connection)
        return configuration
    }

    /// Moves from one revision to the next.
    func setRevision(_ revision: Int64, on connection: inout Connection) throws(StoreError) {
        let update = try connection.statement("UPDATE environments SET revision = ? WHERE id = ? AND revision = ? - 1")
        update.bind(revision, at: 1)
        update.bind(id, at: 2)
        update.bind(revision, at: 3)
        try update.run()
        guard connection.changes == 1 else {
            throw StoreError(.failed, "Revision \(revision) does not follow the one that is stored.")
        }
    }

    /// The revision that is stored.
    func revision(on connection: inout Connection) throws(StoreError) -> Int64 {
        try column("SELECT revision FROM environments WHERE id = ?", on: &connection)
    }

    /// The last time of day that a sweep believed.
    func sweptAt(on connection: inout Connection) throws(StoreError) -> Int64 {
        try column("SELECT swept_at FROM environments WHERE id = ?", on: &connection)
    }

    private func column(_ sql: String, on connection: inout Connection) throws(StoreError) -> Int64 {
        let select = try connection.statement(sql)
        select.bind(id, at: 1)
        guard try select.step() else { throw StoreError(.corrupt, "The environment's row is gone.") }
        defer { select.reset() }
        return select.int64(0)
    }

    /// Counts segments that were stored and swept away.
    func count(_ pins: (stored: Int64, swept: Int64), on connection: inout Connection) throws(StoreError) {
        guard pins != (0, 0) else { return }
        let update = try connection.statement(
            "UPDATE environments SET pins_stored = pins_stored + ?, pins_swept = pins_swept + ? WHERE id = ?")
        update.bind(pins.stored, at: 1)
        update.bind(pins.swept, at: 2)
        update.bind(id, at: 3)
        try update.run()
    }

    /// How many segments there should be.
    func expectedPins(on connection: inout Connection) throws(StoreError) -> Int64 {
        try column("SELECT pins_stored - pins_swept FROM environments WHERE id = ?", on: &connection)
    }

    /// Begins a new epoch, whose first revision follows the last one of the old.
    func beginEpoch(_ epoch: Int64, revision: Int64, on connection: inout Connection) throws(StoreError) {
        let update = try connection.statement("UPDATE environments SET epoch = ?, revision = ? WHERE id = ?")
        update.bind(epoch, at: 1)
        update.bind(revision, at: 2)
        update.bind(id, at: 3)
        try update.run()
    }

    /// Notes the time of a sweep. It goes back only when journeys say so that were started since the last one: their ids
    /// have the time of their clients' clocks, agree with this sweep's, and could not be there by the other's. Otherwise
    /// one sweep by a wrong clock that was believed would leave the store unprotected against the next.
    func setSwept(by sweep: Sweep, on connection: inout Connection) throws(StoreError) {
        let other = Sweep(now: try sweptAt(on: &connection))
        let started = try connection.statement(
            "SELECT 1 FROM journey_segments WHERE environment = ? AND journey >= ? AND journey < ? LIMIT 1")
        started.bind(id, at: 1)
        started.bind(sweep.firstKept, at: 2)
        started.bind(min(other.firstKept, sweep.firstTooEarly), at: 3)
        let isContradicted = try started.step()
        started.reset()
        let update = try connection.statement("UPDATE environments SET swept_at = ? WHERE id = ?")
        update.bind(isContradicted ? sweep.now : max(sweep.now, other.now), at: 1)
        update.bind(id, at: 2)
        try update.run()
    }
}
