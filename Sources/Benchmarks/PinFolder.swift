#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder beside the build, on the file system whose syncs are measured.
struct PinFolder {
    let path: String

    init() throws {
        guard let folder = temporaryFolder(in: "\(currentDirectory())/.build", named: "pins") else {
            throw BenchmarkError("no folder beside the build")
        }
        path = folder
    }

    var database: String { path + "/pins.db" }

    func remove() {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(database + suffix) }
        for name in ["syncs", "anchor.json"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The rate at which one thread can write a page and sync it.
    func syncsPerSecond() -> (rate: Double, p99: Double) {
        let descriptor = open(path + "/syncs", O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4_096)
        for index in 0..<256 { pwrite(descriptor, page, page.count, off_t(index * page.count)) }
        fsync(descriptor)
        let count = 3_000
        let begin = pinNanoseconds()
        var times: [UInt64] = []
        times.reserveCapacity(count)
        for index in 0..<count {
            let start = pinNanoseconds()
            pwrite(descriptor, page, page.count, off_t(index % 256 * page.count))
            fdatasync(descriptor)
            times.append(pinNanoseconds() - start)
        }
        let seconds = Double(pinNanoseconds() - begin) / 1e9
        return (Double(count) / seconds, Double(times.sorted()[count * 99 / 100]) / 1e6)
    }
}

private func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
}

/// A clock that only goes forward.
func pinNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
