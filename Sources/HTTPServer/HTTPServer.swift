import CEvHTTP
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An HTTP/1.1 server: some worker threads, each with its own listening socket on the same port.
package final class HTTPServer: Sendable {
    /// What it was started with.
    package let configuration: ServerConfiguration
    /// Who answers.
    package let router: Router

    private struct State {
        var workers: [Worker] = []
        var port: UInt16 = 0
    }
    private let state = Mutex(State())
    private let hasEnded = Mutex(false)

    /// A server that does not listen yet. It is started once.
    package init(configuration: ServerConfiguration, router: Router) {
        self.configuration = configuration
        self.router = router
    }

    deinit {
        stop(graceSeconds: 0)
    }

    /// The port it listens on; 0 before `start()`.
    package var port: UInt16 { state.withLock { $0.port } }

    /// Binds all sockets and starts the workers.
    package func start() throws(HTTPServerError) {
        let (sockets, port) = try listen()
        var workers: [Worker] = []
        var unused = sockets[...]
        do throws(HTTPServerError) {
            guard let gauge = Gauge() else { throw HTTPServerError(outOf: "memory") }
            while let socket = unused.popFirst() {
                let worker = try Worker(
                    workers.count, listeningOn: socket, limits: limits, router: router, gauge: gauge,
                    reporting: Reporting(configuration), streamLimit: configuration.streamLimit)
                workers.append(worker)
                try worker.start()
            }
        } catch {
            for socket in unused { sbx_close(socket) }
            end(workers, graceSeconds: 0)
            throw error
        }
        state.withLock { $0 = State(workers: workers, port: port) }
    }

    /// Stops accepting, lets requests in flight finish for so long, then closes what is left.
    ///
    /// Waits for the workers, so it must not be called from a handler. The counters stay readable.
    ///
    /// May be called more than once and from several threads: each call returns when the workers have ended.
    package func stop(graceSeconds: Double) {
        let workers = state.withLock { $0.workers }
        for worker in workers { worker.stop(graceMilliseconds: milliseconds(graceSeconds)) }
        // A thread may be joined only once: the first caller joins, the others wait for it here.
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            for worker in workers { worker.join() }
            hasEnded = !workers.isEmpty
        }
    }

    /// The counters of all workers, added up.
    package var counters: ServerCounters {
        var total = ServerCounters(routeCount: router.routes.count)
        for worker in state.withLock({ $0.workers }) {
            worker.counters.add(to: &total)
            total.acceptedConnections += worker.acceptedConnections
            total.openConnections += worker.openConnections
            total.parkedRequests += worker.parkedRequests
        }
        return total
    }

    private func listen() throws(HTTPServerError) -> (sockets: [CInt], port: UInt16) {
        var sockets: [CInt] = []
        var port = configuration.port
        for index in 0..<max(1, configuration.workers) {
            let socket = sbx_listen(configuration.address, port, index == 0, &port)
            guard socket >= 0 else {
                for open in sockets { sbx_close(open) }
                throw HTTPServerError(errno: -socket, configuration)
            }
            sockets.append(socket)
        }
        return (sockets, port)
    }

    /// Ends workers of a start that did not succeed.
    private func end(_ workers: [Worker], graceSeconds: Double) {
        for worker in workers { worker.stop(graceMilliseconds: milliseconds(graceSeconds)) }
        for worker in workers { worker.join() }
    }

    private var limits: sbx_limits {
        sbx_limits(
            head: configuration.headLimit, target: configuration.targetLimit, default_body: router.defaultBodyLimit,
            largest_body: router.largestBodyLimit, connections: configuration.connectionLimit,
            head_milliseconds: milliseconds(configuration.headDeadlineSeconds),
            body_milliseconds: milliseconds(configuration.bodyDeadlineSeconds),
            write_milliseconds: milliseconds(configuration.writeDeadlineSeconds),
            idle_milliseconds: milliseconds(configuration.idleTimeoutSeconds))
    }

    private func milliseconds(_ seconds: Double) -> UInt64 {
        UInt64(exactly: (seconds * 1_000).rounded()) ?? (seconds > 0 ? UInt64(UInt32.max) : 0)
    }
}

extension HTTPServerError {
    init(outOf what: String) {
        self.init(code: .outOfResources, message: "the system is out of \(what)")
    }

    init(errno error: CInt, _ configuration: ServerConfiguration) {
        let place = "\(configuration.address) port \(configuration.port)"
        self =
            switch error {
            case EADDRINUSE:
                HTTPServerError(
                    code: .addressInUse, message: "another process listens on \(place); stop it or choose another port")
            case EADDRNOTAVAIL:
                HTTPServerError(
                    code: .addressNotAvailable,
                    message: "\(configuration.address) is not a numeric address of this machine")
            case EACCES, EPERM:
                HTTPServerError(
                    code: .permissionDenied, message: "\(place) needs rights that this process lacks; use 1024 or above"
                )
            default: HTTPServerError(outOf: "sockets (error \(error))")
            }
    }
}
