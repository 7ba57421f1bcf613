import CSQLite

/// One prepared statement, used by the thread of its connection.
///
/// Columns count from 0, parameters from 1, as in SQLite.
package final class Statement {
    let handle: OpaquePointer
    private let database: OpaquePointer

    /// Compiles the SQL; it is finalised with this object.
    init(_ sql: String, database: OpaquePointer) throws(StoreError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK else { throw StoreError(sqlite: code, database: database) }
        guard let handle else { throw StoreError(.failed, "There is no statement in \(sql).") }
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    /// Goes to the next row; false when there is none, after which the statement is ready to run again.
    func step() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let failure = code == SQLITE_DONE ? nil : StoreError(sqlite: code, database: database)
        sqlite3_reset(handle)
        if let failure { throw failure }
        return false
    }

    /// Runs to the end; rows are passed over.
    func run() throws(StoreError) {
        while try step() {}
    }

    /// Makes the statement ready to run again before its last row.
    func reset() { sqlite3_reset(handle) }
}

/// SQLite copies what is bound: the value may be gone before the statement runs.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Statement {
    func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

    func bind(_ value: Int, at index: Int32) { sqlite3_bind_int64(handle, index, Int64(value)) }

    func bind(_ value: Int64?, at index: Int32) {
        if let value { bind(value, at: index) } else { sqlite3_bind_null(handle, index) }
    }

    func bind(_ value: String, at index: Int32) {
        var value = value
        value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                _ = sqlite3_bind_text64(
                    handle, index, text.baseAddress ?? Self.empty, UInt64(text.count), transient, UInt8(SQLITE_UTF8))
            }
        }
    }

    func bind(_ value: String?, at index: Int32) {
        if let value { bind(value, at: index) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds bytes that are UTF-8 as text.
    func bindText(_ bytes: [UInt8], at index: Int32) {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                _ = sqlite3_bind_text64(
                    handle, index, text.baseAddress ?? Self.empty, UInt64(text.count), transient, UInt8(SQLITE_UTF8))
            }
        }
    }

    func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
        sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), transient)
    }

    func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func int(_ column: Int32) -> Int { Int(truncatingIfNeeded: sqlite3_column_int64(handle, column)) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

    /// The column as text; bytes that are not UTF-8 are replaced.
    func text(_ column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

    /// How many bytes a blob or a text has.
    func byteCount(_ column: Int32) -> Int { Int(sqlite3_column_bytes(handle, column)) }

    func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

    /// Lends the bytes of a blob or a text until the next step.
    func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = sqlite3_column_blob(handle, column)
        return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// A null pointer would bind NULL instead of an empty text.
    private static var empty: UnsafePointer<CChar> { UnsafePointer(emptyText) }
}

private nonisolated(unsafe) let emptyText: UnsafeMutablePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    text.initialize(to: 0)
    return text
}()
