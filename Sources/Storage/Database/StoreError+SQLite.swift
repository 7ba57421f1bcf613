import CSQLite

extension StoreError {
    /// Names what SQLite reported, with what to do about it.
    init(sqlite code: Int32, database: OpaquePointer?) {
        let reported = database.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "no database"
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        self.init(sqlite: code, extended: extended, reported: reported)
    }

    init(sqlite code: Int32, extended: Int32, reported: String) {
        let detail = "SQLite says: \(reported) (\(extended))."
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, "Another program holds the database's write lock. Close it and ask again. \(detail)")
        case SQLITE_NOTADB:
            self.init(.notADatabase, "The file is not a Signalbox database. Name another file. \(detail)")
        case SQLITE_READONLY, SQLITE_PERM:
            self.init(.readOnly, "The database cannot be written. Check who owns the file and its directory. \(detail)")
        case SQLITE_CANTOPEN:
            self.init(.readOnly, "The database cannot be opened. Check who owns the file and its directory. \(detail)")
        case SQLITE_CORRUPT:
            self.init(.corrupt, "The database is damaged. Stop, keep the files, and restore a backup. \(detail)")
        case SQLITE_FULL:
            self.init(.diskFull, "The disk is full. Make room: writing goes on by itself. \(detail)")
        case SQLITE_IOERR:
            self.init(
                .writesStopped,
                "The disk reported an error. Check it, then restart: until then nothing is written. \(detail)")
        case SQLITE_INTERRUPT:
            self.init(.readTooLong, "The read took too long and was ended. Ask for less. \(detail)")
        default: self.init(.failed, "The database refused. \(detail)")
        }
    }
}
