import FlagEvaluation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The path of a file; `-` is standard input.
struct FilePath: SingleValue, Equatable, CustomStringConvertible {
    static let placeholder = "FILE"
    static let largest = 16 << 20
    let path: String

    init(_ path: String) { self.path = path }

    init(argument text: String) throws(ValueError) {
        guard !text.isEmpty, !text.utf8.contains(0) else { throw ValueError("is not a path") }
        path = text
    }

    var description: String { path }

    var exists: Bool { access(path, F_OK) == 0 }

    /// Whether there is a folder of that name.
    var isFolder: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The whole file.
    func bytes() throws(CommandError) -> [UInt8] {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .usage("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        return try readAll(descriptor, of: path)
    }

    /// The file as JSON.
    func json(limits: JSONLimits = .flagFile) throws -> JSONValue {
        try JSONText.value(try bytes(), named: path, limits: limits)
    }

    /// The file's bytes, when nobody but its owner may read or write it.
    func secretBytes() throws(CommandError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .key("\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var status = stat()
        // Asked of the open file, so that nobody can put another in its place in between.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .key("\(path) is not a file")
        }
        guard status.st_mode & 0o077 == 0 else {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw .key("\(path) has mode 0\(mode), so others can use the key; run: chmod 600 \(path)")
        }
        return try readAll(descriptor, of: path)
    }
}

/// Reads to the end; `path` is only for messages.
private func readAll(_ descriptor: Int32, of path: String) throws(CommandError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .usage("\(path): \(String(cString: strerror(errno)))") }
        if count == 0 { return bytes }
        bytes += chunk.prefix(count)
        guard bytes.count <= FilePath.largest else { throw .usage("\(path) is larger than 16 MB") }
    }
}

/// A new file that only its owner may read, made before anything is asked of the service: a secret that is shown
/// once must have a place to go.
struct SecretFile {
    private let path: String
    private let descriptor: Int32

    init(creating file: FilePath) throws(CommandError) {
        path = file.path
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .usage("\(path): \(String(cString: strerror(errno)))") }
    }

    /// Puts the secret into the file; false when it is not safely there.
    func finish(with secret: String) -> Bool {
        let bytes = Array((secret + "\n").utf8)
        let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        return close(descriptor) == 0 && isWritten && isEntered()
    }

    /// Makes the file's name as durable as its content.
    private func isEntered() -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
        let directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return false }
        defer { close(directory) }
        return fsync(directory) == 0
    }

    /// Leaves nothing behind.
    func discard() {
        close(descriptor)
        unlink(path)
    }
}

/// JSON as an argument or a file.
struct JSONText: SingleValue, Equatable {
    static let placeholder = "JSON"
    let value: JSONValue

    init(argument text: String) throws(ValueError) {
        do {
            value = try JSONValue(parsing: text)
        } catch {
            throw ValueError(error.phrase)
        }
    }

    static func value(
        _ bytes: [UInt8], named name: String, limits: JSONLimits = .flagFile
    ) throws(CommandError) -> JSONValue {
        do {
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            throw .usage("\(name) \(error.phrase)")
        }
    }
}

extension JSONError {
    /// What is wrong, after the name of the text: one that is over a limit may well be JSON.
    fileprivate var phrase: String {
        let fault = code == .malformed || code == .invalidUTF8 ? "is not JSON" : "cannot be taken"
        return "\(fault): \(message) (at byte \(offset))"
    }
}

/// JSON that is an object, as an argument.
struct JSONObjectText: SingleValue, Equatable {
    static let placeholder = "JSON"
    let object: JSONObject

    init(argument text: String) throws(ValueError) {
        guard let object = try JSONText(argument: text).value.object else { throw ValueError("is not an object") }
        self.object = object
    }
}

extension CommandError {
    /// The key cannot be used.
    static func key(_ message: String) -> CommandError {
        CommandError(status: .notAllowed, code: "key_unusable", message: message)
    }
}
