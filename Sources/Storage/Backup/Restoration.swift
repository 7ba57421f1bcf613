import FlagEvaluation
import Rollouts

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Puts a backup in the place of a database that nobody serves.
///
/// The copy is migrated, checked row by row and given a new epoch before it takes the name of the database. The epoch
/// tells clients that revisions begin anew: what was changed since the backup is forgotten.
package struct Restoration: Sendable {
    package let backup: String
    package let database: String
    /// Whether a database that is there is moved aside.
    package let isReplacing: Bool
    package let options: Store.Options

    /// What now stands.
    package struct Report: Hashable, Sendable {
        package let anchor: Anchor
        package let revision: Int64
        package let segments: Int64
        /// Where the database that was there is now.
        package let movedTo: String?
    }

    package init(of backup: String, to database: String, isReplacing: Bool, options: Store.Options = Store.Options()) {
        self.backup = backup
        self.database = DatabaseLock.resolved(database)
        self.isReplacing = isReplacing
        self.options = options
    }

    package func run() throws(StoreError) -> Report {
        let lock = try DatabaseLock(besides: database)
        defer { withExtendedLifetime(lock) {} }
        guard isReplacing || !DurableFile.exists(database) else {
            throw StoreError(.exists, "\(database) is there already. Say --replace to move it aside.")
        }
        let draft = database + ".restoring"
        removeDraft(draft)
        do throws(StoreError) {
            try copy(to: draft)
            let (anchor, revision, segments) = try prepare(draft)
            try DurableFile.sync(draft)
            // From here to the last rename a start would find no database, or the old one, and the new anchor: it would
            // serve no changes. Restoring again mends that.
            try AnchorFile(besides: database).write(anchor)
            let movedTo = try moveAside()
            guard rename(draft, database) == 0 else { throw StoreError(opening: database, errno: errno) }
            try DurableFile.syncFolder(of: database)
            return Report(anchor: anchor, revision: revision, segments: segments, movedTo: movedTo)
        } catch {
            removeDraft(draft)
            throw error
        }
    }

    private func copy(to draft: String) throws(StoreError) {
        guard DurableFile.exists(backup) else { throw StoreError(.notADatabase, "There is no \(backup).") }
        if case .empty = try LogScan.verdict(ofLogAt: backup + "-wal") {
        } else {
            throw StoreError(
                .notADatabase, "\(backup) is a database in use, no backup. Make one with signalbox backup.")
        }
        let source = open(backup, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw StoreError(opening: backup, errno: errno) }
        defer { close(source) }
        let target = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw StoreError(making: draft, errno: errno) }
        defer { close(target) }
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = read(source, &chunk, chunk.count)
            guard count >= 0 else { throw StoreError(opening: backup, errno: errno) }
            if count == 0 { return }
            guard write(target, chunk, count) == count else { throw StoreError(opening: draft, errno: errno) }
        }
    }

    /// Migrates and checks the copy, and begins the new epoch in it.
    private func prepare(_ draft: String) throws(StoreError) -> (Anchor, revision: Int64, segments: Int64) {
        let migrationsPath = if let path = options.migrationsPath { path } else { try MigrationFile.bundledFolder() }
        var connection = try Connection(path: draft, for: .writing)
        guard try connection.number("SELECT count(*) FROM sqlite_schema") ?? 0 > 0 else {
            throw StoreError(.notADatabase, "\(backup) is empty.")
        }
        try Migrator(folder: migrationsPath).migrate(connection, at: options.now())
        guard let environment = try EnvironmentTable(existing: options.environment, on: &connection) else {
            throw StoreError(.notADatabase, "\(backup) has no environment \(options.environment).")
        }
        try ConfigurationSum(environment: environment.id).check(on: &connection)
        let audit = AuditTable(environment: environment.id, environmentName: options.environment)
        var scan = JourneyScan(environment: environment.id)
        if let fault = try fault(of: environment, audit, &scan, on: &connection) {
            throw StoreError(.corrupt, "\(backup) is damaged: \(fault) Use another backup.")
        }
        let configuration = try beginEpoch(environment, audit, on: &connection)
        let anchor = try audit.anchor(at: options.now(), on: &connection)
        try connection.checkpointAll()
        return (anchor, configuration.revision, scan.segments)
    }

    private func fault(
        of environment: EnvironmentTable, _ audit: AuditTable, _ scan: inout JourneyScan,
        on connection: inout Connection
    ) throws(StoreError) -> String? {
        if let text = try connection.text("PRAGMA integrity_check(1)"), text != "ok" { return "\(text)." }
        if let fault = try audit.verdict(on: &connection).fault { return fault }
        let file = AnchorFile(at: backup + ".anchor.json")
        if let fault = try audit.contradiction(to: file, on: &connection) { return fault }
        try scan.run(on: &connection)
        if scan.damaged > 0 { return "\(scan.damaged) rows of journeys are not what was written." }
        var evidence = EvidenceScan(environment: environment.id)
        try evidence.run(on: &connection)
        if evidence.damaged > 0 { return "\(evidence.damaged) rows of evidence are not what was stored." }
        let expected = try environment.expectedPins(on: &connection)
        return scan.segments == expected ? nil : "It holds \(scan.segments) pins and should hold \(expected)."
    }

    private func beginEpoch(
        _ environment: EnvironmentTable, _ audit: AuditTable, on connection: inout Connection
    ) throws(StoreError) -> Configuration {
        var configuration = try environment.configuration(on: &connection)
        let before = JSONObject([
            ("epoch", .integer(configuration.epoch)), ("revision", .integer(configuration.revision)),
        ])
        configuration.epoch = max(configuration.epoch &+ 1, options.now())
        configuration.revision &+= 1
        let after = JSONObject([
            ("epoch", .integer(configuration.epoch)), ("revision", .integer(configuration.revision)),
        ])
        let draft = AuditDraft(
            actor: Actor(name: "signalbox", role: .admin, keyID: ""), action: "store.restore", subject: "store",
            reason: "restored from a backup", before: .object(before), after: .object(after))
        var sha = SHA256()
        try connection.run("BEGIN IMMEDIATE")
        try environment.beginEpoch(configuration.epoch, revision: configuration.revision, on: &connection)
        try audit.append(draft, leadingTo: configuration, at: options.now(), on: &connection, using: &sha)
        try connection.run("COMMIT")
        return configuration
    }

    /// Gives the old database another name; its log belongs to it.
    private func moveAside() throws(StoreError) -> String? {
        guard DurableFile.exists(database) else { return nil }
        let aside = "\(database).before-\(options.now())"
        for suffix in ["-wal", "-shm", ""] where DurableFile.exists(database + suffix) {
            guard rename(database + suffix, aside + suffix) == 0 else {
                throw StoreError(opening: database + suffix, errno: errno)
            }
        }
        return aside
    }

    private func removeDraft(_ draft: String) {
        for suffix in ["", "-wal", "-shm"] { unlink(draft + suffix) }
    }
}
