/// Why the store did not do something.
package struct StoreError: Error, Equatable, Sendable {
    /// Stable: a released code never changes meaning.
    package enum Code: String, CaseIterable, Sendable {
        /// Another program holds SQLite's write lock; safe to ask again.
        case busy = "store_busy"
        /// Another process serves this database.
        case locked = "store_locked"
        /// The file is not a database, or one of another program.
        case notADatabase = "store_not_a_database"
        /// A newer release wrote the database.
        case newerSchema = "store_newer_schema"
        /// The file or its directory cannot be written.
        case readOnly = "store_read_only"
        case directoryMissing = "store_directory_missing"
        /// There is a database or a backup of that name already.
        case exists = "store_exists"
        /// The content contradicts itself.
        case corrupt = "store_corrupt"
        /// One row is not what was written; the others are served.
        case damagedRow = "store_damaged_row"
        /// A migration that was applied is no longer what it was.
        case migrationChanged = "store_migration_changed"
        /// A migration cannot be applied, or the migrations cannot be found.
        case migrationFailed = "store_migration_failed"
        /// No space left; writing starts again by itself when there is some.
        case diskFull = "store_disk_full"
        /// A write or a sync failed; nothing is written until a restart.
        case writesStopped = "store_writes_stopped"
        /// The audit or the pins are not what the anchor has seen; nothing is written until that is cleared up.
        case auditCut = "audit_cut"
        /// Another program wrote to the database; nothing is written until a restart.
        case foreignWriter = "store_foreign_writer"
        /// Too much is queued; safe to ask again.
        case overloaded = "store_overloaded"
        /// A read took longer than the store allows.
        case readTooLong = "store_read_too_long"
        case closed = "store_closed"
        /// Anything else that the database reports.
        case failed = "store_failed"
    }

    package let code: Code
    /// For people: what happened and what to do. Never parsed.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
