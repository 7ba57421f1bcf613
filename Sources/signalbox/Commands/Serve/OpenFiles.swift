#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Lets the process open as many files as it may: each connection is one, and the usual limit is 1024.
func raiseOpenFileLimit() {
    var limit = rlimit()
    #if canImport(Glibc)
        let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        let openFiles = RLIMIT_NOFILE
    #endif
    guard getrlimit(openFiles, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
    limit.rlim_cur = limit.rlim_max
    // Refused, it stays as it is: then the limit is what the administrator set.
    _ = setrlimit(openFiles, &limit)
}
