import CSQLite

/// One connection to a SQLite database; closed when it goes out of scope. Used by one thread at a time.
package struct Connection: ~Copyable {
    /// What a connection is for.
    package enum Purpose: Sendable {
        /// The one that writes and checkpoints.
        case writing
        /// Reads through a memory map; cannot write.
        case reading
    }

    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    private let deadline: UnsafeMutablePointer<UInt64>
    private let logPages: UnsafeMutablePointer<Int32>

    /// Opens the file; with `.writing` it is created when it is missing.
    ///
    /// Nothing is read or written yet, so a file that is not a database is noticed by the first statement. `fileSystem`
    /// names a layer that is registered with SQLite; nil means the operating system's.
    package init(path: String, for purpose: Purpose, in fileSystem: String? = nil) throws(StoreError) {
        let access =
            switch purpose {
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reading: SQLITE_OPEN_READONLY
            }
        var handle: OpaquePointer?
        let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, fileSystem)
        guard code == SQLITE_OK, let handle else {
            defer { sqlite3_close_v2(handle) }
            throw StoreError(sqlite: code, database: handle)
        }
        self.handle = handle
        deadline = .allocate(capacity: 1)
        deadline.initialize(to: .max)
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
    }

    deinit {
        // Waits for the statements that somebody still holds.
        sqlite3_close_v2(handle)
        deadline.deallocate()
        logPages.deallocate()
    }

    /// Runs statements that take no parameters.
    package func run(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, database: handle) }
    }

    /// The statement for this SQL, compiled once.
    package mutating func statement(_ sql: String) throws(StoreError) -> Statement {
        if let known = statements[sql] { return known }
        let statement = try Statement(sql, database: handle)
        statements[sql] = statement
        return statement
    }

    /// The number in the first column of the first row; nil without one.
    package func number(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try Statement(sql, database: handle)
        return try statement.step() ? statement.optionalInt64(0) : nil
    }

    /// The text in the first column of the first row; nil without one.
    package func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try Statement(sql, database: handle)
        return try statement.step() ? statement.optionalText(0) : nil
    }

    /// Rows that the last insert, update or delete changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether a transaction is open. SQLite ends it by itself after some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
}

extension Connection {
    /// Settings of the connection that writes: WAL, and a sync before every commit is acknowledged.
    ///
    /// With synchronous=NORMAL a power cut lost acknowledged rows in three of six cuts; with FULL none.
    package func prepareForWriting() throws(StoreError) {
        try run("PRAGMA page_size = 4096")
        try run("PRAGMA busy_timeout = 250")
        try run("PRAGMA journal_mode = WAL")
        guard try text("PRAGMA journal_mode") == "wal" else {
            throw StoreError(.failed, "The file system cannot hold a write-ahead log. Use a local disk.")
        }
        try makeLogDurable()
        try run("PRAGMA synchronous = FULL")
        try emptyLogOfEarlierProcess()
        try run("PRAGMA foreign_keys = ON")
        try run("PRAGMA cache_size = -16384")
        // What a long read made the log grow to is given back once the log begins anew.
        try run("PRAGMA journal_size_limit = 16777216")
        countLogPages()
    }

    /// Settings of a connection that reads: a memory map, so that a read by key costs no system call.
    package func prepareForReading() throws(StoreError) {
        try run("PRAGMA query_only = ON")
        try run("PRAGMA mmap_size = 17179869184")
    }

    /// Leaves the log as it is when the connection closes: for a database that is not to be touched.
    func keepLogOnClose() { _ = signalboxKeepLogOnClose(handle) }
}

extension Connection {
    /// SQLite's own checkpoint runs inside the commit and hides its errors. Ours runs after the commit is answered, and a
    /// sync that fails there is heard: after it the log may not be overwritten.
    private func countLogPages() {
        sqlite3_wal_hook(handle, noteLogPages, logPages)
    }

    /// Copies the log into the database when it has a thousand pages, as SQLite would.
    func checkpointIfDue() throws(StoreError) {
        guard logPages.pointee >= 1_000 else { return }
        logPages.pointee = 0
        try checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Copies the whole log into the database and empties it.
    func checkpointAll() throws(StoreError) { try checkpoint(SQLITE_CHECKPOINT_TRUNCATE) }

    private func checkpoint(_ mode: Int32) throws(StoreError) {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
        // Busy: a reader still needs the log. The next checkpoint takes what this one left.
        guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else { throw StoreError(sqlite: code, database: handle) }
    }
}

private func noteLogPages(
    _ context: UnsafeMutableRawPointer?, _: OpaquePointer?, _: UnsafePointer<CChar>?, _ pages: Int32
) -> Int32 {
    context?.assumingMemoryBound(to: Int32.self).pointee = pages
    return SQLITE_OK
}

extension Connection {
    /// Ends whatever runs on this connection once the monotonic clock passes this; nil takes the limit away.
    func limit(untilNanoseconds limit: UInt64?) {
        guard let limit else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        deadline.pointee = limit
        sqlite3_progress_handler(handle, 4_000, isPastDeadline, deadline)
    }
}

private func isPastDeadline(_ context: UnsafeMutableRawPointer?) -> Int32 {
    guard let deadline = context?.assumingMemoryBound(to: UInt64.self) else { return 0 }
    return monotonicNanoseconds() > deadline.pointee ? 1 : 0
}
