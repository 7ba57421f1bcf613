#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The commit that a source tree is at, as git tells it.
struct SourceCommit: Equatable {
    /// In full.
    let id: String
    /// Whether anything differs from the commit, files that git does not know included; nil when git did not say.
    let isDirty: Bool?
    /// Where the tree is in its repository, with a slash at the end; empty for the whole of it.
    let folder: String

    /// Nil when there is no git, or the tree is in no repository.
    init?(of root: String) {
        guard let id = Self.git(["rev-parse", "HEAD"], in: root)?.first, id.utf8.count >= 40 else { return nil }
        self.id = id
        isDirty = Self.git(["status", "--porcelain"], in: root).map { !$0.isEmpty }
        folder = Self.git(["rev-parse", "--show-prefix"], in: root)?.first ?? ""
    }

    /// The lines that git prints; nil when it fails. Nothing that the repository configures is run.
    private static func git(_ words: [String], in root: String) -> [String]? {
        let arguments =
            ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-C", root, "--no-optional-locks"]
            + words
        var pipe: [Int32] = [0, 0]
        guard Self.pipe(&pipe) else { return nil }
        defer { close(pipe[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process = pid_t()
        var environment = Self.environment.map { strdup($0) } + [nil]
        defer { for pointer in environment { free(pointer) } }
        let status = posix_spawnp(&process, "git", &actions, nil, &pointers, &environment)
        close(pipe[1])
        guard status == 0 else { return nil }
        let bytes = output(pipe[0])
        var ended: Int32 = 0
        while waitpid(process, &ended, 0) < 0, errno == EINTR {}
        guard ended == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Without what git tells its hooks: it names another repository than the folder's.
    private static var environment: [String] {
        var all: [String] = []
        var next = environ
        while let entry = next.pointee {
            all.append(String(cString: entry))
            next += 1
        }
        return all.filter { !$0.hasPrefix("GIT_") }
    }

    /// Both ends are closed in a program that is started.
    private static func pipe(_ ends: inout [Int32]) -> Bool {
        #if canImport(Glibc)
            let status = Glibc.pipe(&ends)
        #elseif canImport(Musl)
            let status = Musl.pipe(&ends)
        #else
            let status = Darwin.pipe(&ends)
        #endif
        guard status == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return true
    }

    /// To the end, so that git is never kept waiting; only the beginning is kept.
    private static func output(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            if bytes.count < 1 << 20 { bytes += chunk.prefix(count) }
        }
    }
}
