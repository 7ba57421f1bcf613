/// Brings a database to the newest schema, or refuses before it has changed anything.
struct Migrator {
    private let files: [MigrationFile]

    /// Reads the migrations of a folder.
    init(folder: String) throws(StoreError) { files = try MigrationFile.all(in: folder) }

    /// Applies what is missing, each file in its own transaction.
    ///
    /// Until the database is known to be ours, and not newer than this program, nothing is written to it.
    func migrate(_ connection: borrowing Connection, at now: Int64) throws(StoreError) {
        let applied: Int
        do {
            applied = try checkApplied(connection)
        } catch {
            connection.keepLogOnClose()
            throw error
        }
        try connection.prepareForWriting()
        // Off while a migration may rebuild a table; every file is checked before it commits.
        try connection.run("PRAGMA foreign_keys = OFF")
        for file in files.dropFirst(applied) { try apply(file, to: connection, at: now) }
        try connection.run("PRAGMA foreign_keys = ON")
    }

    /// How many of the files are still to be applied; changes nothing.
    func waiting(on connection: borrowing Connection) throws(StoreError) -> Int {
        files.count - (try checkApplied(connection))
    }

    /// How many of the files are applied already.
    private func checkApplied(_ connection: borrowing Connection) throws(StoreError) -> Int {
        let isMigrated = try connection.number("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'") != nil
        guard isMigrated else {
            if try connection.number("SELECT 1 FROM sqlite_schema LIMIT 1") == nil { return 0 }
            throw StoreError(.notADatabase, "The file is a database of another program. Name another file.")
        }
        let rows = try Statement(
            "SELECT number, name, checksum FROM schema_migrations ORDER BY number", database: connection.handle)
        var applied = 0
        while try rows.step() {
            guard applied < files.count else {
                throw StoreError(
                    .newerSchema,
                    "A newer release wrote this database (migration \(rows.text(1))). Use that release, or a backup.")
            }
            let file = files[applied]
            guard rows.int64(0) == file.number, rows.text(2) == file.checksum else {
                throw StoreError(
                    .migrationChanged,
                    "\(file.name) is not what was applied as \(rows.text(1)). Put the released file back.")
            }
            applied += 1
        }
        return applied
    }

    private func apply(_ file: MigrationFile, to connection: borrowing Connection, at now: Int64) throws(StoreError) {
        do throws(StoreError) {
            try connection.run("BEGIN IMMEDIATE")
            try connection.run(file.sql)
            guard try connection.number("SELECT 1 FROM pragma_foreign_key_check LIMIT 1") == nil else {
                throw StoreError(.migrationFailed, "rows would refer to nothing")
            }
            let record = try Statement(
                "INSERT INTO schema_migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)",
                database: connection.handle)
            record.bind(file.number, at: 1)
            record.bind(file.name, at: 2)
            record.bind(file.checksum, at: 3)
            record.bind(now, at: 4)
            try record.run()
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            guard error.code == .failed || error.code == .migrationFailed else { throw error }
            throw StoreError(
                .migrationFailed, "\(file.name) was not applied and has changed nothing: \(error.message)")
        }
    }
}
