#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// SIGTERM and SIGINT, kept for the one thread that waits for them.
///
/// Made before any other thread, which then inherits that these signals do not interrupt it.
struct StopSignals {
    private var set = sigset_t()

    init() {
        signal(SIGPIPE, SIG_IGN)
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits so long for a signal; gives whether one came.
    func isStopping(withinSeconds seconds: Int) -> Bool {
        var set = set
        var limit = timespec(tv_sec: seconds, tv_nsec: 0)
        return sigtimedwait(&set, nil, &limit) > 0
    }
}
