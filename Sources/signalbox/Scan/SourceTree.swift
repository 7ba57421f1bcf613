#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The files of a source tree, without what is built from them. Links are not followed: what they lead to is in the
/// tree by itself, or is not part of it.
struct SourceTree {
    struct File {
        /// From the root of the tree.
        let path: String
        let kind: SourceKind
    }

    struct Unreadable {
        let path: String
        let reason: String
    }

    private(set) var files: [File] = []
    private(set) var unreadable: [Unreadable] = []
    /// Folders that were left out.
    private(set) var skipped: [String] = []

    static let leftOut: Set<String> = [
        ".git", ".hg", ".svn", ".build", ".swiftpm", ".gradle", ".venv", "DerivedData", "build", "node_modules",
        "xcuserdata",
    ]
    private static let deepest = 128
    private let root: String

    /// Walks the tree; in the order of names, so that two walks of one tree agree.
    init(at root: String) {
        self.root = root
        walk("", depth: 0)
    }

    private mutating func walk(_ folder: String, depth: Int) {
        guard depth < Self.deepest else { return fail(folder, "is too deep") }
        guard let directory = opendir(folder.isEmpty ? root : "\(root)/\(folder)") else {
            return fail(folder, String(cString: strerror(errno)))
        }
        var folders: [String] = []
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            switch type(of: entry.pointee.d_type, path) {
            case .folder: folders.append(path)
            case .file: names.append(path)
            case .other: break
            }
        }
        closedir(directory)
        for path in names.sorted() {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            if let kind = SourceKind(fileName: name) { files.append(File(path: path, kind: kind)) }
        }
        for path in folders.sorted() {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            if Self.leftOut.contains(name) { skipped.append(path) } else { walk(path, depth: depth + 1) }
        }
    }

    private mutating func fail(_ path: String, _ reason: String) {
        unreadable.append(Unreadable(path: path.isEmpty ? "." : path, reason: reason))
    }

    private enum Entry { case folder, file, other }

    /// Pipes and devices count as files here: reading them says that they are none.
    private func type(of code: UInt8, _ path: String) -> Entry {
        switch Int(code) {
        case Int(DT_DIR): return .folder
        case Int(DT_LNK): return .other
        case Int(DT_UNKNOWN):
            var status = stat()
            guard lstat("\(root)/\(path)", &status) == 0 else { return .file }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: return .folder
            case S_IFLNK: return .other
            default: return .file
            }
        default: return .file
        }
    }
}

/// Reads whole files into storage that is kept from one to the next.
struct SourceReader: ~Copyable {
    static let largest = 64 << 20
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)

    deinit { storage.deallocate() }

    /// The file's bytes, valid until the next call; throws the reason why there are none.
    mutating func read(_ path: String) throws(ValueError) -> UnsafeBufferPointer<UInt8> {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard descriptor >= 0 else { throw ValueError(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ValueError("is not a file")
        }
        guard status.st_size <= Self.largest else { throw ValueError("is larger than 64 MB") }
        if Int(status.st_size) + 1 > storage.count {
            storage.deallocate()
            storage = .allocate(byteCount: Int(status.st_size) + 4_096, alignment: 16)
        }
        var count = 0
        // One byte more than the file has: then it did not grow while it was read.
        while count < storage.count, let base = storage.baseAddress {
            let more = Self.read(descriptor, base + count, storage.count - count)
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw ValueError(String(cString: strerror(errno))) }
            if more == 0 { return UnsafeBufferPointer(start: base.assumingMemoryBound(to: UInt8.self), count: count) }
            count += more
        }
        throw ValueError("grew while it was read")
    }

    private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, buffer, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer, count)
        #else
            Darwin.read(descriptor, buffer, count)
        #endif
    }
}
