import FlagEvaluation
import HTTPServer
import SignalboxServer
import Storage

/// Runs the service: the one place where everything is put together.
struct Serve: LocalCommand {
    static let name = "serve"
    static let abstract = "Runs the service over a data directory until it is told to stop."
    static let discussion = """
        The directory holds the database and, from the first start on, admin.key: the first key, which only you may \
        read. SIGTERM or Ctrl-C ends it after the requests that are under way. It listens without TLS, so put a proxy \
        with TLS in front of any address but the loopback one.
        """
    static let examples = [
        "signalbox serve --data var/signalbox",
        "signalbox serve --data /var/lib/signalbox --listen 127.0.0.1:9090 --workers 4",
    ]

    @Option("The data directory; it is made if its parent exists.") var data: FilePath = FilePath("var/signalbox")
    @Option("The address and port to listen on; port 0 takes a free one.") var listen: ListenAddress = .standard
    @Option("What is logged on standard error, one line of JSON an event.") var logLevel: LogLevel = .info
    @Option("Threads that answer requests.") var workers: WorkerCount = WorkerCount(number: 2)
    @Option("Requests a second that one admin or server key may send; 0 is no limit.")
    var keyLimit: RequestLimit = RequestLimit(number: RateLimits().perKey)
    @Option("Requests a second for one unit, from app keys; 0 is no limit.")
    var unitLimit: RequestLimit = RequestLimit(number: RateLimits().perUnit)
    @Option(
        "Requests a second from one address, from app keys; 0 is no limit. Behind a proxy its X-Forwarded-For counts.")
    var addressLimit: RequestLimit = RequestLimit(number: RateLimits().perAddress)
    @Option("Says that a proxy with TLS stands in front, so that --listen may be any address.") var behindProxy: Bool

    func run(_ terminal: Terminal) throws -> ExitCode {
        guard listen.isLoopback || behindProxy else {
            throw CommandError.usage(
                "\(listen.address) can be reached from elsewhere and there is no TLS here: listen on 127.0.0.1 behind "
                    + "a proxy with TLS, or say --behind-proxy if one stands in front of \(listen.address)")
        }
        raiseOpenFileLimit()
        let signals = StopSignals()
        let log = Log(level: logLevel, now: { wallClockMilliseconds() }, write: { Terminal.ofProcess.errors($0) })
        let directory = try DataDirectory(data)
        let service = try starting { try SignalboxServer.Service(storeAt: directory.database, options: options(log)) }
        defer { service.close() }
        if try starting({ try service.makeFirstKey(savingWith: directory.save(firstKey:)) }) {
            terminal.say("made the first admin key: \(directory.firstKey)")
        }
        let report: @Sendable (String) -> Void = { log.add(.warning, "store", ["message": .string($0)]) }
        if let failure = service.storeFailure { report("\(failure.code.rawValue): \(failure.message)") }
        service.verifyAudit(reportingTo: report)
        service.writeAnchor(reportingTo: report)
        let server = HTTPServer(configuration: configuration(log), router: service.router())
        service.observe { [weak server] in server?.counters }
        try starting { try server.start() }
        terminal.say("listening on http://\(listen.text(port: server.port))")
        log.add(
            .info, "started",
            [
                "version": .string(version), "address": .string(listen.text(port: server.port)),
                "workers": .integer(Int64(workers.number)), "data": .string(data.path),
            ])

        var looks = 0
        while !signals.isStopping(withinSeconds: 2) {
            service.climb()
            looks += 1
            if looks.isMultiple(of: 10) { service.beat() }
            if looks.isMultiple(of: 150) { service.saveKeyUse() }
            guard looks.isMultiple(of: 30) else { continue }
            service.writeAnchor(reportingTo: report)
            service.sweep()
        }
        log.add(.info, "stopping")
        server.stop(graceSeconds: 10)
        service.saveKeyUse()
        log.add(.info, "stopped")
        return .done
    }

    private func options(_ log: Log) -> SignalboxServer.Service.Options {
        var options = SignalboxServer.Service.Options()
        options.log = log
        options.workers = workers.number
        options.version = version
        options.report = { log.add(.warning, "service", ["message": .string($0)]) }
        options.rateLimits.perKey = keyLimit.number
        options.rateLimits.perUnit = unitLimit.number
        options.rateLimits.perAddress = addressLimit.number
        options.rateLimits.trustsForwardedAddress = behindProxy
        return options
    }

    private func configuration(_ log: Log) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.report = { log.add($0) }
        configuration.reportsEveryRequest = log.tellsEveryRequest
        configuration.address = listen.address
        configuration.port = listen.port
        configuration.workers = workers.number
        return configuration
    }

    /// Turns what keeps the service from starting into one line with a stable code.
    private func starting<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw CommandError(status: .unavailable, code: error.code.rawValue, message: error.message)
        } catch let error as HTTPServerError {
            throw CommandError(status: .unavailable, code: error.code.rawValue, message: error.message)
        }
    }
}
