import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import SignalboxServer
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What operators wait for in a large app: 300 routes in 25 flows, 20 000 items of evidence.
func interlockingBenchmarks() {
    do {
        let folder = try PinFolder()
        defer { folder.remove() }
        let setting = try InterlockingSetting(in: folder)
        defer { setting.close() }
        print(
            "interlocking: \(InterlockingSetting.routes) routes, \(InterlockingSetting.evidence) items of evidence;",
            "medians of \(rounds) rounds, with the processor time of the whole process")
        let caller = setting.caller
        reportAnswer("gates of all routes", of: "/v1/gates", from: caller, target: 150)
        reportAnswer("status", of: "/v1/status", from: caller, target: 50)
        reportAnswer("export", of: "/v1/config/export", from: caller, target: 500)
        reportVerification(caller)
        reportChoices()
        reportStarts(caller)
        reportFlips(caller, folder)
    } catch {
        print("interlocking: \(error)")
    }
}

private let rounds = 9

private func reportAnswer(_ name: String, of target: String, from caller: RouterCaller, target most: Int) {
    var (times, work): ([Double], [Double]) = ([], [])
    var bytes = 0
    for _ in 0..<rounds {
        let (began, worked) = (pinNanoseconds(), processNanoseconds())
        let answer = caller.ask(.get, target)
        times.append(Double(pinNanoseconds() - began) / 1e6)
        work.append(Double(processNanoseconds() - worked) / 1e6)
        guard answer.status == 200 else { return print("interlocking: \(name) answers \(answer.status)") }
        bytes = answer.body.count
    }
    print(
        "interlocking: \(name) \(rounded(benchmarkMedian(times))) ms (target \(most) or less),",
        "\(rounded(benchmarkMedian(work))) ms of processor, \(bytes / 1_000) kB")
}

/// The reference is the digest of as many bytes as an entry has.
private func reportVerification(_ caller: RouterCaller) {
    var (rates, work): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
        let (began, worked) = (pinNanoseconds(), processNanoseconds())
        let answer = caller.ask(.get, "/v1/audit/verify")
        let seconds = Double(pinNanoseconds() - began) / 1e9
        let verdict = try? answer.body.withUnsafeBytes { try JSONValue(parsing: $0) }
        guard let entries = verdict?["entries"]?.integer, verdict?["fault"] == .null else {
            return print("interlocking: the audit does not verify")
        }
        rates.append(Double(entries) / seconds)
        work.append(Double(processNanoseconds() - worked) / Double(entries))
    }
    let page = caller.ask(.get, "/v1/audit?last=100").body
    let digest = nanosecondsOfDigest(bytes: page.count / 100)
    print(
        "interlocking: audit verified at \(Int(benchmarkMedian(rates))) entries/s (target 200 000 or more),",
        "\(Int(benchmarkMedian(work))) ns of processor each;",
        "SHA-256 of \(page.count / 100) bytes alone \(Int(digest)) ns")
}

private func nanosecondsOfDigest(bytes: Int) -> Double {
    let text = [UInt8](repeating: 0x61, count: bytes)
    var sha = SHA256()
    var sum: UInt8 = 0
    let began = processorNanoseconds()
    for _ in 0..<20_000 { text.withUnsafeBytes { sum &+= sha.digest(of: $0).withBytes { $0[0] } } }
    sink = Int(sum)
    return Double(processorNanoseconds() - began) / 20_000
}

/// The pure choice: nothing is evaluated, looked up or stored.
private func reportChoices() {
    let inputs = (0..<InterlockingSetting.routesOfFlow).map { number in
        ChoiceInput(
            pin: number == 0 ? .migrated : nil, isResume: number == 0, stage: Stage.allCases[number % 6],
            status: number == 1 ? .rolledBack : .active, override: number == 2 ? .migrated : nil,
            flag: FlagDecision(.migrated, by: .share))
    }
    let times = (0..<rounds).map { _ in
        let began = processorNanoseconds()
        for _ in 0..<100_000 {
            for input in inputs where choose(input)?.choice?.renderer == .migrated { sink &+= 1 }
        }
        return Double(processorNanoseconds() - began) / 100_000
    }
    print(
        "interlocking: choices of a flow of \(inputs.count) routes \(Int(benchmarkMedian(times))) ns",
        "(target 5 000 or less)")
}

private func reportStarts(_ caller: RouterCaller) {
    let count = 2_000
    let worked = processNanoseconds()
    let times = (0..<count).map { number -> Double in
        let began = pinNanoseconds()
        _ = start(number, in: 1, caller)
        return Double(pinNanoseconds() - began) / 1e6
    }.sorted()
    print(
        "interlocking: a start of such a flow \(rounded(times[count / 2])) ms,",
        "p99 \(rounded(times[count * 99 / 100])) ms,",
        "\((processNanoseconds() - worked) / count / 1_000) µs of processor")
}

/// From asking for a rollback to the answer of a journey that was started after it. Two commits lie in between.
private func reportFlips(_ caller: RouterCaller, _ folder: PinFolder) {
    let count = 500
    let resume = #"{"reason":"measuring","cause":"measured","step":2}"#
    let before = folder.syncsPerSecond()
    var times: [Double] = []
    for number in 0..<count {
        guard renderer(start(2 * number + 10_000, in: 0, caller)) == "migrated" else {
            return print("interlocking: a journey does not get migrated")
        }
        let began = pinNanoseconds()
        _ = caller.ask(.post, "/v1/routes/flow0.route0/rollback", #"{"reason":"measuring"}"#)
        let answer = start(2 * number + 10_001, in: 0, caller)
        times.append(Double(pinNanoseconds() - began) / 1e6)
        guard renderer(answer) == "legacy" else { return print("interlocking: a rollback changes nothing") }
        _ = caller.ask(.post, "/v1/routes/flow0.route0/resume", resume)
    }
    times.sort()
    print(
        "interlocking: rollback to a changed answer p50 \(rounded(times[count / 2])) ms,",
        "p99 \(rounded(times[count * 99 / 100])) ms (target 5 or less) of \(count);",
        "fdatasync p99 \(rounded((before.p99 + folder.syncsPerSecond().p99) / 2)) ms")
}

private func start(_ number: Int, in flow: Int, _ caller: RouterCaller) -> JSONValue {
    let id = JourneyID(milliseconds: PinLoop.now, randomA: 0, randomB: UInt64(number))
    let body = """
        {"id":"\(id)","flow":"flow\(flow)","unit":"u-\(number)","build":"app:710","context":{"email":"mia@example.org"}}
        """
    let answer = caller.ask(.post, "/v1/journeys", body)
    return (try? answer.body.withUnsafeBytes { try JSONValue(parsing: $0) }) ?? .null
}

private func renderer(_ journey: JSONValue) -> String? {
    journey["choices"]?["flow0.route0"]?["renderer"]?.string
}

/// Where results go that nothing else needs, so that they are worked out all the same.
nonisolated(unsafe) private var sink = 0

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

/// Processor time of all threads.
private func processNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
