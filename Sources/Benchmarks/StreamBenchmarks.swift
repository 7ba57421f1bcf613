#if canImport(Glibc)
    import Glibc
    import Synchronization

    /// Ten thousand open event streams on one node: memory for each, how long a flip takes to reach all, and how
    /// evaluations fare meanwhile.
    func streamBenchmarks() {
        raiseDescriptorLimit()
        guard let directory = temporaryFolder() else { return print("streams: skipped, no temporary directory") }
        defer {
            HTTPBenchmarkProcesses.remove(directory + "/data")
            HTTPBenchmarkProcesses.remove(directory)
        }
        guard let service = ServiceProcess(directory) else { return print("streams: skipped, it did not start") }
        defer { service.stop() }
        service.registerFlag(rules: 10)
        guard let control = BenchmarkSocket(service.port), let probe = BenchmarkSocket(service.port),
            let link = control.link(key: service.key)
        else { return print("streams: no link to the stream") }
        let idle = service.residentKilobytes

        var sockets: [BenchmarkSocket] = []
        for _ in 0..<10_000 {
            guard let socket = BenchmarkSocket(service.port) else { break }
            socket.send("GET \(link) HTTP/1.1\r\nHost: x\r\n\r\n")
            sockets.append(socket)
        }
        let readers = StreamReaders(sockets: sockets)
        guard readers.waitForAll() != nil else { return print("streams: not all opened") }
        let memory = Double(service.residentKilobytes - idle) / Double(max(1, sockets.count))
        print(
            "streams: \(sockets.count) open, \(Double(Int(memory * 100)) / 100) kB each above idle (target 6 or less)")

        let times = Times()
        let key = service.key
        // The figures of one round vary with the machine, so quiet and busy alternate.
        var ratios: [Double] = []
        var (quiet, busy): ([Double], [Double]) = ([], [])
        for _ in 0..<7 {
            quiet.append(measure(probe, key: key, seconds: 2) {})
            busy.append(
                measure(probe, key: key, seconds: 2) {
                    // From asking for the change until the last stream has been told.
                    let began = pinNanoseconds()
                    let verb = times.all.count.isMultiple(of: 2) ? "disable" : "enable"
                    control.post("/v1/flags/bench/\(verb)", #"{"reason":"flip"}"#, key: key)
                    if let end = readers.waitForAll() {
                        times.append(Double(end - began) / 1e6)
                    }
                    usleep(100_000)
                })
            ratios.append((busy.last ?? 0) / max(1, quiet.last ?? 0))
        }
        let flips = times.all
        print(
            "streams: a flip reaches all in \(Int(benchmarkMedian(flips))) ms, at most \(Int(flips.max() ?? 0)) ms of "
                + "\(flips.count) flips (target 300 or less)")
        print(
            "streams: evaluation p99, medians of \(ratios.count) rounds: quiet \(benchmarkMedian(quiet)) µs, while "
                + "flipping \(benchmarkMedian(busy)) µs: ratio \(Double(Int(benchmarkMedian(ratios) * 100)) / 100) "
                + "(target 2 or less)")
    }

    /// Takes as many descriptors as the system allows; the programs that are started inherit it.
    private func raiseDescriptorLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// The 99th percentile of evaluations in µs, one every half millisecond, while `meanwhile` is done again and again.
    private func measure(
        _ probe: BenchmarkSocket, key: String, seconds: Int, _ meanwhile: @escaping @Sendable () -> Void
    ) -> Double {
        let isOver = SharedFlag()
        let worker = pthread_t.started {
            while !isOver.value {
                meanwhile()
                usleep(1_000)
            }
        }
        var samples: [Double] = []
        let end = pinNanoseconds() + UInt64(seconds) * 1_000_000_000
        while pinNanoseconds() < end {
            let began = pinNanoseconds()
            probe.post("/ofrep/v1/evaluate/flags/bench", #"{"context":{"targetingKey":"u-1","tier":3}}"#, key: key)
            samples.append(Double(pinNanoseconds() - began) / 1e3)
            usleep(500)
        }
        isOver.value = true
        if let worker { pthread_join(worker, nil) }
        samples.sort()
        return samples.isEmpty ? 0 : samples[samples.count * 99 / 100].rounded()
    }

    /// How long each flip took, in milliseconds.
    private final class Times: Sendable {
        private let values = Mutex<[Double]>([])
        var all: [Double] { values.withLock { $0 } }
        func append(_ value: Double) { values.withLock { $0.append(value) } }
    }

    /// Tells a thread that it may end.
    private final class SharedFlag: Sendable {
        private let flag = Atomic<Bool>(false)
        var value: Bool {
            get { flag.load(ordering: .acquiring) }
            set { flag.store(newValue, ordering: .releasing) }
        }
    }

    extension pthread_t {
        /// Runs that on a thread of its own.
        fileprivate static func started(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
            final class Work: Sendable {
                let body: @Sendable () -> Void
                init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            }
            var thread = pthread_t()
            let work = Unmanaged.passRetained(Work(body))
            let error = pthread_create(
                &thread, nil,
                { argument in
                    if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                    return nil
                }, work.toOpaque())
            return error == 0 ? thread : nil
        }
    }
#else
    func streamBenchmarks() { print("streams: skipped, the readers need epoll") }
#endif
