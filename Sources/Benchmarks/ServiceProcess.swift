#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program itself, started as `signalbox serve` on a free port over `DIRECTORY/data`.
final class ServiceProcess {
    let url: String
    private let process: pid_t
    private let program: String
    private let directory: String
    private var isRunning = true

    /// Returns when the service listens; nil when it does not.
    init?(_ directory: String) {
        self.directory = directory
        // The two programs are built into one folder.
        let own = CommandLine.arguments.first ?? ""
        program = (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "./") + "signalbox"
        let output = directory + "/serve.out"
        HTTPBenchmarkProcesses.write("", to: output)
        let arguments = ["serve", "--data", directory + "/data", "--listen", "127.0.0.1:0"]
        guard let process = HTTPBenchmarkProcesses.spawn(program, arguments, output: output) else { return nil }
        self.process = process
        for _ in 0..<5_000 {
            let lines = HTTPBenchmarkProcesses.contents(of: output).split(separator: "\n")
            if let line = lines.first(where: { $0.hasPrefix("listening on ") }) {
                url = String(line.dropFirst("listening on ".count))
                return
            }
            usleep(1_000)
        }
        kill(process, SIGKILL)
        return nil
    }

    func stop() {
        guard isRunning else { return }
        isRunning = false
        kill(process, SIGTERM)
        var status: CInt = 0
        waitpid(process, &status, 0)
    }

    /// Memory that is resident now.
    var residentKilobytes: Int {
        let status = HTTPBenchmarkProcesses.contents(of: "/proc/\(process)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// User and system time that the process has used.
    var cpuSeconds: Double {
        let fields = HTTPBenchmarkProcesses.contents(of: "/proc/\(process)/stat").split(separator: " ")
        guard fields.count > 14, let user = Double(fields[13]), let system = Double(fields[14]) else { return 0 }
        return (user + system) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    /// Stores the flag `bench`, whose rule asks that many things of the context before it says on.
    func registerFlag(rules: Int) {
        let tests = (1..<rules).map { #"{"!=":[{"var":"country"},"X\#($0)"]}"# } + [#"{">=":[{"var":"tier"},2]}"#]
        let flag =
            #"{"state":"ENABLED","variants":{"on":true,"off":false},"defaultVariant":"off","targeting":"#
            + #"{"if":[{"and":[\#(tests.joined(separator: ","))]},"on","off"]}}"#
        registerFlag("bench", definition: flag)
    }

    /// Stores a flag.
    func registerFlag(_ key: String, definition: String) {
        run("flag", "set", key, "--definition", definition, "--reason", "benchmark")
    }

    var port: UInt16 { url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Registers a flow with two routes and one build.
    func registerFlow() {
        run("flow", "create", "trips", "--owner", "benchmark", "--reason", "benchmark")
        for route in ["trips.detail", "trips.edit"] {
            run("route", "register", route, "--flow", "trips", "--reason", "benchmark")
        }
        run(
            "build", "register", "app:730", "--version", "7.30", "--reason", "benchmark", "--route",
            "trips.detail=legacy,migrated", "--route", "trips.edit=legacy,migrated")
    }

    private func run(_ arguments: String...) {
        setenv("SIGNALBOX_URL", url, 1)
        setenv("SIGNALBOX_KEY_FILE", directory + "/data/admin.key", 1)
        let output = directory + "/command.out"
        guard let process = HTTPBenchmarkProcesses.spawn(program, arguments, output: output) else { return }
        var status: CInt = 0
        waitpid(process, &status, 0)
        if status != 0 { print("service: \(arguments): \(HTTPBenchmarkProcesses.contents(of: output))") }
    }

    /// A script for wrk that sends that body, a Lua expression, with the first admin key.
    func luaPost(body: String) -> String {
        """
        wrk.method = "POST"
        wrk.headers["Content-Type"] = "application/json"
        wrk.headers["Authorization"] = "Bearer \(key)"
        wrk.body = \(body)
        """
    }

    /// A script for wrk that starts a new journey with every request.
    var luaStarts: String {
        luaPost(body: "''") + """

            math.randomseed(os.time())
            local began = os.time()
            request = function()
              local ms = began * 1000 + math.random(0, 999)
              local id = string.format("%08x-%04x-7%03x-%04x-%04x%08x", math.floor(ms / 65536), ms % 65536,
                math.random(0, 4095), math.random(32768, 49151), math.random(0, 65535), math.random(0, 2147483647))
              return wrk.format(nil, nil, nil, '{"id":"' .. id .. '","flow":"trips","unit":"u-' ..
                math.random(1, 1000000) .. '","build":"app:730","context":{"country":"DE","tier":3}}')
            end
            """
    }

    /// The first admin key.
    var key: String {
        let text = HTTPBenchmarkProcesses.contents(of: directory + "/data/admin.key")
        return String(text.prefix { $0 != "\n" })
    }
}
