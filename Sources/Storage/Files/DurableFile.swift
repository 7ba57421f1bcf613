#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Small files, read whole and replaced whole.
enum DurableFile {
    /// Everything in the file; nil when there is none. Fails when it is larger than `limit`.
    static func contents(of path: String, limit: Int) throws(StoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw StoreError(opening: path, errno: errno) }
        defer { close(descriptor) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(opening: path, errno: errno) }
            if count == 0 { return contents }
            contents.append(contentsOf: chunk[..<count])
            guard contents.count <= limit else { throw StoreError(.failed, "\(path) is larger than \(limit) bytes.") }
        }
    }

    /// Replaces the file: after a kill or a power cut it holds either all of the old bytes or all of the new ones.
    static func replace(_ path: String, with bytes: [UInt8]) throws(StoreError) {
        let draft = path + ".new"
        do throws(StoreError) {
            try write(bytes, to: draft)
            guard rename(draft, path) == 0 else { throw StoreError(opening: path, errno: errno) }
            try syncFolder(of: path)
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(opening: path, errno: errno) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw StoreError(opening: path, errno: errno) }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw StoreError(opening: path, errno: errno) }
    }

    /// Makes an empty file that only its owner may read. SQLite takes an empty file as a new one, and would make it
    /// readable by others.
    static func create(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(making: path, errno: errno) }
        close(descriptor)
    }

    /// Makes the bytes of a file durable.
    static func sync(_ path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError(opening: path, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError(opening: path, errno: errno) }
    }

    /// Makes the names in the folder of a file durable.
    static func syncFolder(of path: String) throws(StoreError) { try sync(folder(of: path)) }

    /// The folder that a file is in.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Whether there is something of that name.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension StoreError {
    /// Names what the operating system said when a file was made.
    init(making path: String, errno code: Int32) {
        if code == EEXIST {
            self.init(.exists, "\(path) is there already. Name another file.")
        } else {
            self.init(opening: path, errno: code)
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
