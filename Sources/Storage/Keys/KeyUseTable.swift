/// When keys were last shown. Nothing is decided by it.
struct KeyUseTable {
    let environment: Int64

    /// Milliseconds since 1970, by key id.
    func load(on connection: inout Connection) throws(StoreError) -> [String: Int64] {
        let rows = try connection.statement("SELECT key_id, used_at FROM key_use WHERE environment = ?")
        rows.bind(environment, at: 1)
        var uses: [String: Int64] = [:]
        while try rows.step() { uses[rows.text(0)] = rows.int64(1) }
        return uses
    }

    /// Writes down what is newer, of keys that are stored.
    func store(_ uses: [String: Int64], on connection: inout Connection) throws(StoreError) {
        let insert = try connection.statement(
            """
            INSERT INTO key_use (environment, key_id, used_at)
            SELECT environment, key_id, ?3 FROM keys WHERE environment = ?1 AND key_id = ?2
            ON CONFLICT (environment, key_id) DO UPDATE SET used_at = excluded.used_at
            """)
        for (id, time) in uses.sorted(by: { $0.key < $1.key }) {
            insert.bind(environment, at: 1)
            insert.bind(id, at: 2)
            insert.bind(time, at: 3)
            try insert.run()
        }
    }
}

extension Store {
    /// Writes down when keys were last shown, in milliseconds since 1970 by key id. Moves no revision.
    package func noteKeyUse(
        _ uses: [String: Int64], completion: @escaping @Sendable (StoreOutcome<Void>) -> Void
    ) {
        write(.noteKeyUse(uses, completion))
    }
}
