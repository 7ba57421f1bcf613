#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What one server did in all rounds.
struct HTTPLoad: CustomStringConvertible {
    var rates: [Double] = []
    /// The 99th percentile of each round, in milliseconds.
    var slowest: [Double] = []
    var requests = 0.0
    /// Answers that were not 2xx.
    var failures = 0.0
    var cpuSeconds = 0.0

    /// One round: 64 connections from one thread for three seconds.
    mutating func run(_ wrk: String, script: String, url: String, directory: String) {
        let output = directory + "/wrk.out"
        let arguments = ["-t1", "-c64", "-d3s", "--latency", "-s", script, url]
        guard let process = HTTPBenchmarkProcesses.spawn(wrk, arguments, output: output) else { return }
        var status: CInt = 0
        waitpid(process, &status, 0)
        let report = HTTPBenchmarkProcesses.contents(of: output)
        rates.append(HTTPBenchmarkProcesses.number(after: "Requests/sec:", in: report))
        slowest.append(HTTPBenchmarkProcesses.milliseconds(after: "99%", in: report))
        failures += HTTPBenchmarkProcesses.number(after: "Non-2xx", in: report)
        requests += HTTPBenchmarkProcesses.number(before: "requests in", in: report)
    }

    var description: String {
        let microseconds = requests > 0 ? Double(Int(cpuSeconds / requests * 10_000_000)) / 10 : 0
        let failed = failures > 0 ? ", \(Int(failures)) FAILED" : ""
        return "\(Int(benchmarkMedian(rates))) requests/s (median of \(rates.count)), p99 "
            + "\(benchmarkMedian(slowest)) ms, \(microseconds) µs of CPU each\(failed)"
    }
}

/// The middle one of some figures; 0 without any.
func benchmarkMedian(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
}
