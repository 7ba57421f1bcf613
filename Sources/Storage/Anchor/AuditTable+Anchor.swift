extension AuditTable {
    /// What the database holds now, as an anchor.
    func anchor(at now: Int64, on connection: inout Connection) throws(StoreError) -> Anchor {
        // One statement, and so one state of the database.
        let select = try connection.statement(
            """
            SELECT epoch, pins_stored, coalesce(last.sequence, 0), coalesce(last.hash, ?2)
            FROM environments LEFT JOIN (
                SELECT sequence, hash FROM audit WHERE environment = ?1 ORDER BY sequence DESC LIMIT 1) AS last
            WHERE id = ?1
            """)
        select.bind(environment, at: 1)
        select.bind(AuditHash.origin, at: 2)
        guard try select.step() else { throw StoreError(.corrupt, "The environment's row is gone.") }
        defer { select.reset() }
        return Anchor(
            environment: environmentName, epoch: select.int64(0), sequence: select.int64(2), hash: select.text(3),
            pins: select.int64(1), writtenAt: now)
    }

    /// What shows that the database is not what was served when the anchor was written; nil when nothing does.
    func contradiction(to anchor: Anchor, on connection: inout Connection) throws(StoreError) -> String? {
        let now = try self.anchor(at: 0, on: &connection)
        if anchor.environment != environmentName { return "The anchor is of the environment \(anchor.environment)." }
        if anchor.epoch > now.epoch { return "The anchor is of epoch \(anchor.epoch), the database of \(now.epoch)." }
        if anchor.sequence > now.sequence {
            return "The audit ends with entry \(now.sequence); the anchor has seen entry \(anchor.sequence)."
        }
        if anchor.pins > now.pins {
            return "\(now.pins) pins were ever stored; the anchor has seen \(anchor.pins)."
        }
        guard anchor.sequence > 0 else { return nil }
        let select = try connection.statement("SELECT hash FROM audit WHERE environment = ? AND sequence = ?")
        select.bind(environment, at: 1)
        select.bind(anchor.sequence, at: 2)
        guard try select.step() else { return "Entry \(anchor.sequence), which the anchor has seen, is gone." }
        defer { select.reset() }
        return select.text(0) == anchor.hash ? nil : "Entry \(anchor.sequence) is not the one that the anchor has seen."
    }

    /// The same for the anchor in a file. Without a file there is nothing to contradict.
    func contradiction(to file: AnchorFile, on connection: inout Connection) throws(StoreError) -> String? {
        switch try file.content() {
        case .missing: nil
        case .unreadable: "\(file.path) is damaged."
        case .anchor(let anchor): try contradiction(to: anchor, on: &connection)
        }
    }
}

extension StoreError {
    /// The database is not what was served before.
    init(contradiction: String) {
        self.init(
            .auditCut,
            "\(contradiction) Nothing is written until this is cleared up: keep the files, then restore a backup.")
    }
}
