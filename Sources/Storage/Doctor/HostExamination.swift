#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the machine gives a service: room, descriptors, and who else may look.
package struct HostExamination: Sendable {
    private let database: String

    package init(besides database: String) { self.database = database }

    /// Looks at the folder of the database and the limits of this process.
    package func findings() -> [Finding] { [space, descriptors, permissions] }

    private var space: Finding {
        let folder = DurableFile.folder(of: database)
        var system = statvfs()
        guard statvfs(folder, &system) == 0 else {
            return Finding("disk", .fault, "\(folder) cannot be looked at.", remedy: "Check that the path is right.")
        }
        let free = Int64(clamping: UInt64(system.f_bavail).multipliedReportingOverflow(by: UInt64(system.f_frsize)).0)
        let used = size(of: database)
        let megabytes = free >> 20
        let found = "\(megabytes) MB free, the database has \(used >> 20) MB"
        if free < 64 << 20 {
            return Finding("disk", .fault, found, remedy: "Make room now: when the disk is full, nothing is stored.")
        }
        // A backup or a restore needs the same room again.
        if free < used * 2 || free < 512 << 20 {
            return Finding("disk", .advice, found, remedy: "Make room for a backup beside the database.")
        }
        return Finding("disk", .ok, found)
    }

    private var descriptors: Finding {
        var limit = rlimit()
        #if canImport(Glibc)
            let code = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
            let code = getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        guard code == 0 else { return Finding("descriptors", .advice, "The limit cannot be read.") }
        let found = "limit \(limit.rlim_cur)"
        guard limit.rlim_cur < 12_000 else { return Finding("descriptors", .ok, found) }
        return Finding(
            "descriptors", .advice, found,
            remedy:
                "Every open stream takes one: raise it (ulimit -n 65536, LimitNOFILE= in the unit) for many clients.")
    }

    private var permissions: Finding {
        let folder = DurableFile.folder(of: database)
        for path in [folder, database, database + "-wal", folder + "/admin.key", folder + "/anchor.json"] {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            let isFolder = path == folder
            // Inside a closed folder the files' own modes do not matter, but for the key.
            if isFolder || path.hasSuffix("admin.key"), status.st_mode & 0o077 != 0 {
                let mode = String(status.st_mode & 0o777, radix: 8)
                return Finding(
                    "permissions", .advice, "\(path) has mode 0\(mode)",
                    remedy: "Others could read it: chmod \(isFolder ? "0700" : "0600") \(path)")
            }
            if access(path, isFolder ? R_OK | W_OK | X_OK : R_OK | W_OK) != 0 {
                return Finding(
                    "permissions", .fault, "\(path) cannot be written by this user",
                    remedy: "Run as the user that serves, or give it the files: chown -R USER \(folder)")
            }
        }
        return Finding("permissions", .ok, "only the owner can read \(folder)")
    }

    private func size(of path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
