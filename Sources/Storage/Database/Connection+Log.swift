import CSQLite

extension Connection {
    /// Writes the log's bytes once more where they are, and syncs them.
    ///
    /// A process that was killed before its sync, or whose sync failed, leaves a log that this one can read and the disk
    /// may not have; after a failed sync, later syncs succeed without it. SQLite would recover from such a log and append
    /// to it, and a power cut would then take what was read, and every commit behind it.
    func makeLogDurable() throws(StoreError) {
        guard let log = logFile, let methods = log.pointee.pMethods else { return }
        var size: Int64 = 0
        try check(methods.pointee.xFileSize(log, &size))
        guard size > 0 else { return }
        let chunk = UnsafeMutableRawPointer.allocate(byteCount: Self.chunkSize, alignment: 16)
        defer { chunk.deallocate() }
        for offset in stride(from: 0, to: size, by: Self.chunkSize) {
            let count = Int32(min(Int64(Self.chunkSize), size - offset))
            try check(methods.pointee.xRead(log, chunk, count, offset))
            try check(methods.pointee.xWrite(log, chunk, count, offset))
        }
        try check(methods.pointee.xSync(log, SQLITE_SYNC_FULL))
    }

    /// Begins a new log, so that frames which a crash left behind the last commit do not lie behind ours.
    ///
    /// They have the same salt, and after a second crash they look like commits that were damaged: the service would
    /// refuse a database that has lost nothing. On a full disk the old log goes on until there is room.
    func emptyLogOfEarlierProcess() throws(StoreError) {
        do throws(StoreError) {
            try checkpointAll()
        } catch {
            guard error.code == .diskFull else { throw error }
            return
        }
        try refuseShortFile()
    }

    /// SQLite reads pages behind the end of its file as zeros and notices nothing until it needs one. With an empty log
    /// the file holds every page that its first one counts.
    private func refuseShortFile() throws(StoreError) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK,
            let file, let methods = file.pointee.pMethods
        else { return }
        var size: Int64 = 0
        try check(methods.pointee.xFileSize(file, &size))
        let (pages, pageSize) = (try number("PRAGMA page_count") ?? 0, try number("PRAGMA page_size") ?? 0)
        let (whole, overflows) = pages.multipliedReportingOverflow(by: pageSize)
        guard !overflows, size >= whole else {
            throw StoreError(
                .corrupt,
                "The database was cut: \(size) of \(whole) bytes are left. Keep the files, then restore a backup.")
        }
    }

    private static let chunkSize = 65_536

    /// The write-ahead log as SQLite has it open.
    private var logFile: UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK else { return nil }
        return file
    }

    private func check(_ code: Int32) throws(StoreError) {
        guard code == SQLITE_OK else {
            throw StoreError(sqlite: code, extended: code, reported: "a file of the database cannot be read or written")
        }
    }
}
