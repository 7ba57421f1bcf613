#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Keeps other processes from serving the same database, by an `flock` on the file beside it.
///
/// The kernel takes the lock away when the process dies, which no file with a process id in it can promise.
final class DatabaseLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock or throws at once.
    init(besides path: String) throws(StoreError) {
        let lockPath = path + ".lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(opening: lockPath, errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            close(descriptor)
            guard reason == EWOULDBLOCK else { throw StoreError(opening: lockPath, errno: reason) }
            throw StoreError(
                .locked, "Another process serves \(path). Stop it first, or name another database file.")
        }
        // Set last: an object that has its descriptor closes it, also when its initializer throws.
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The file itself when the path is a link, so that no second name of it has a lock of its own.
    static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }
}

extension StoreError {
    /// Names what the operating system said when a file was opened.
    init(opening path: String, errno code: Int32) {
        let reported = String(cString: strerror(code))
        switch code {
        case ENOENT, ENOTDIR:
            self.init(.directoryMissing, "The directory of \(path) is missing. Create it, or name another file.")
        case EACCES, EPERM, EROFS:
            self.init(.readOnly, "\(path) cannot be written (\(reported)). Check who owns it and its directory.")
        case ENOSPC, EDQUOT: self.init(.diskFull, "The disk of \(path) is full. Make room and start again.")
        default: self.init(.failed, "\(path) cannot be opened: \(reported).")
        }
    }
}
