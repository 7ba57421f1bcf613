import Rollouts

/// The row of one environment: its place in the order of its configurations.
struct EnvironmentTable {
    let id: Int64

    /// Finds the environment, or creates it at epoch 1 and revision 0.
    init(named name: String, at now: Int64, on connection: inout Connection) throws(StoreError) {
        let insert = try connection.statement(
            "INSERT INTO environments (name, epoch, revision, swept_at) VALUES (?, 1, 0, ?) ON CONFLICT DO NOTHING")
        insert.bind(name, at: 1)
        insert.bind(now, at: 2)
        try insert.run()
        let select = try connection.statement("SELECT id FROM environments WHERE name = ?")
        select.bind(name, at: 1)
        guard try select.step() else { throw StoreError(.corrupt, "The environment \(name) is gone.") }
        defer { select.reset() }
        id = select.int64(0)
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

    /// Notes the time of a sweep; it never goes back.
    func setSweptAt(_ time: Int64, on connection: inout Connection) throws(StoreError) {
        let update = try connection.statement("UPDATE environments SET swept_at = max(swept_at, ?) WHERE id = ?")
        update.bind(time, at: 1)
        update.bind(id, at: 2)
        try update.run()
    }
}
