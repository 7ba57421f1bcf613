#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One `NNNN_what.sql`.
struct MigrationFile {
    let number: Int64
    let name: String
    let sql: String
    /// SHA-256 of the file.
    let checksum: String

    /// The migrations in a folder, in order; they must be numbered from 1 without gap.
    static func all(in folder: String) throws(StoreError) -> [MigrationFile] {
        var sha = SHA256()
        var files: [MigrationFile] = []
        for name in try names(in: folder).sorted() where name.hasSuffix(".sql") {
            let digits = name.prefix { $0 != "_" }
            guard digits.utf8.count == 4, let number = Int64(digits), number == Int64(files.count) + 1 else {
                throw StoreError(
                    .migrationFailed, "\(folder)/\(name) is not named NNNN_what.sql with the next number. Rename it.")
            }
            let bytes = try contents(of: folder + "/" + name)
            files.append(
                MigrationFile(
                    number: number, name: name, sql: String(decoding: bytes, as: UTF8.self),
                    checksum: bytes.withUnsafeBytes { sha.digest(of: $0) }.hexadecimal))
        }
        guard !files.isEmpty else { throw missing(folder) }
        return files
    }

    private static func names(in folder: String) throws(StoreError) -> [String] {
        guard let directory = opendir(folder) else { throw missing(folder) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }

    private static func contents(of path: String) throws(StoreError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(opening: path, errno: errno) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count >= 0 else { throw StoreError(opening: path, errno: errno) }
            if count == 0 { return contents }
            contents.append(contentsOf: chunk[..<count])
        }
    }

    private static func missing(_ folder: String) -> StoreError {
        StoreError(
            .migrationFailed, "There are no migrations in \(folder). Install the program with its .resources folders.")
    }
}

extension MigrationFile {
    /// The folder that travels with the program, beside its executable.
    ///
    /// Found by hand, because `Bundle` would be the only use of Foundation on the server.
    static func bundledFolder() throws(StoreError) -> String {
        let folders = [
            "signalbox_Storage.resources", "signalbox_Storage.bundle", "signalbox_Storage.bundle/Contents/Resources",
        ]
        let program = programDirectory()
        for folder in folders.map({ "\(program)/\($0)/migrations/sqlite" }) where access(folder, R_OK) == 0 {
            return folder
        }
        throw missing("\(program)/\(folders[0])/migrations/sqlite")
    }

    private static func programDirectory() -> String {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        #if os(Linux)
            let count = path.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { text in
                    text.baseAddress.map { readlink("/proc/self/exe", $0, text.count - 1) } ?? 0
                }
            }
            path.removeLast(path.count - max(count, 0))
        #else
            var count = UInt32(path.count)
            path.withUnsafeMutableBytes { bytes in
                _ = _NSGetExecutablePath(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), &count)
            }
        #endif
        let program = String(decoding: path.prefix { $0 != 0 }, as: UTF8.self)
        guard let slash = program.lastIndex(of: "/") else { return "." }
        return String(program[..<slash])
    }
}
