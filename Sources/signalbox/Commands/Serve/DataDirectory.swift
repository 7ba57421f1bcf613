#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Where the service keeps what it must not lose.
struct DataDirectory {
    private let path: String

    /// Makes the directory for its owner alone, if its parent exists.
    init(_ directory: FilePath) throws(CommandError) {
        path = directory.path
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        throw CommandError(
            status: .unavailable, code: "data_directory_missing",
            message: "\(path) cannot be made: \(String(cString: strerror(errno))); make its parent directory first")
    }

    var database: String { "\(path)/signalbox.db" }
    var firstKey: String { "\(path)/admin.key" }

    /// Puts the first key where only the owner can read it, durably.
    ///
    /// An earlier file is one whose key was never stored, so it opens nothing and may go.
    func save(firstKey secret: String) throws {
        unlink(firstKey)
        guard let file = try? SecretFile(creating: FilePath(firstKey)), file.finish(with: secret) else {
            throw CommandError(
                status: .unavailable, code: "first_key_not_saved",
                message: "the first admin key could not be written to \(firstKey); make room, or remove what is there")
        }
    }
}
