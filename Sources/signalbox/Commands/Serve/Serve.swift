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
    @Option("Threads that answer requests.") var workers: WorkerCount = WorkerCount(count: 2)
    @Option("Says that a proxy with TLS stands in front, so that --listen may be any address.") var behindProxy: Bool

    func run(_ terminal: Terminal) throws -> ExitCode {
        guard listen.isLoopback || behindProxy else {
            throw CommandError.usage(
                "\(listen.address) can be reached from elsewhere and there is no TLS here: listen on 127.0.0.1 behind "
                    + "a proxy with TLS, or say --behind-proxy if one stands in front of \(listen.address)")
        }
        let signals = StopSignals()
        let directory = try DataDirectory(data)
        let service = try starting { try SignalboxServer.Service(storeAt: directory.database, options: options) }
        defer { service.close() }
        if try starting({ try service.makeFirstKey(savingWith: directory.save(firstKey:)) }) {
            terminal.say("made the first admin key: \(directory.firstKey)")
        }
        let server = HTTPServer(configuration: configuration, router: service.router())
        try starting { try server.start() }
        terminal.say("listening on http://\(listen.text(port: server.port))")

        while !signals.isStopping(withinSeconds: 60) {
            service.sweep { line in Terminal.ofProcess.complain("signalbox: \(line)") }
        }
        server.stop(graceSeconds: 10)
        return .done
    }

    private var options: SignalboxServer.Service.Options {
        var options = SignalboxServer.Service.Options()
        options.workers = workers.count
        options.version = version
        return options
    }

    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.address = listen.address
        configuration.port = listen.port
        configuration.workers = workers.count
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
