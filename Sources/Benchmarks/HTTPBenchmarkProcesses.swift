#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Programs, files and ports for the benchmark against another server.
enum HTTPBenchmarkProcesses {
    /// Where a program lies, or nil.
    static func executable(_ name: String) -> String? {
        ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/homebrew/bin/"]
            .map { $0 + name }.first { access($0, X_OK) == 0 }
    }

    /// Starts a program with its output in a file.
    static func spawn(_ program: String, _ arguments: [String], output: String) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var pointers = ([program] + arguments).map { strdup($0) }
        pointers.append(nil)
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        return posix_spawn(&process, program, &actions, nil, pointers, environ) == 0 ? process : nil
    }

    /// Writes a small file.
    static func write(_ text: String, to path: String) {
        guard let file = fopen(path, "w") else { return }
        fputs(text, file)
        fclose(file)
    }

    /// Reads a small file.
    static func contents(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    }

    /// Removes a directory and the files in it.
    static func remove(_ directory: String) {
        if let listing = opendir(directory) {
            while let entry = readdir(listing) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                unlink(directory + "/" + name)
            }
            closedir(listing)
        }
        rmdir(directory)
    }

    /// The number in a report that follows a word at the start of a line.
    static func number(after word: String, in report: String) -> Double {
        for line in report.split(separator: "\n") where line.drop(while: { $0 == " " }).hasPrefix(word) {
            return line.split(separator: " ").last.flatMap { Double($0) } ?? 0
        }
        return 0
    }

    /// The duration in a report that follows a word at the start of a line, in milliseconds.
    static func milliseconds(after word: String, in report: String) -> Double {
        for line in report.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.first.map(String.init) == word, let text = words.last else { continue }
            let scale: [(unit: String, factor: Double)] = [("us", 0.001), ("ms", 1), ("s", 1_000)]
            for (unit, factor) in scale where text.hasSuffix(unit) {
                return Double(text.dropLast(unit.count)).map { $0 * factor } ?? 0
            }
        }
        return 0
    }

    /// The number in a report that stands before some words.
    static func number(before words: String, in report: String) -> Double {
        for line in report.split(separator: "\n") where line.contains(words) {
            return line.split(separator: " ").first.flatMap { Double($0) } ?? 0
        }
        return 0
    }

    /// The CPU time of this process.
    static func cpuSeconds() -> Double {
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        return cpuSeconds(usage)
    }

    /// User and system time together.
    static func cpuSeconds(_ usage: rusage) -> Double {
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func withSocket<Result>(_ port: UInt16, _ use: (CInt, UnsafePointer<sockaddr>, socklen_t) -> Result)
        -> Result
    {
        #if canImport(Glibc)
            let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(socket) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                use(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Whether something listens on the port.
    static func accepts(_ port: UInt16) -> Bool {
        withSocket(port) { connect($0, $1, $2) == 0 }
    }

    /// A port that nobody uses at the moment.
    static func freePort() -> UInt16? {
        withSocket(0) { socket, address, length in
            guard bind(socket, address, length) == 0 else { return nil }
            var own = sockaddr_in()
            var size = length
            let found = withUnsafeMutablePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
            }
            return found == 0 ? UInt16(bigEndian: own.sin_port) : nil
        }
    }
}
