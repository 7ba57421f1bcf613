import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The whole program over loopback: one OFREP evaluation against nginx with a static body, pins, memory, start.
///
/// The load shares two cores with the server, so ratios mean more than rates.
func serviceBenchmarks() {
    guard let wrk = HTTPBenchmarkProcesses.executable("wrk"), let nginx = HTTPBenchmarkProcesses.executable("nginx")
    else {
        print("service: skipped, needs wrk and nginx")
        return
    }
    guard let directory = temporaryFolder() else { return print("service: skipped, no temporary directory") }
    defer {
        HTTPBenchmarkProcesses.remove(directory + "/data")
        HTTPBenchmarkProcesses.remove(directory)
    }
    guard let service = ServiceProcess(directory) else { return print("service: skipped, it did not start") }
    defer { service.stop() }
    print("service: resident after start \(service.residentKilobytes / 1024) MB (target 40 or less)")
    service.registerFlag(rules: 10)
    service.registerFlow()

    let context =
        #"{"context":{"targetingKey":"u-123456","email":"mia@example.org","build":"app:730","country":"DE","plan":"pro","#
        + #""version":"7.30.1","tier":3,"beta":true,"device":{"model":"iPhone15,2","os":"17.4"},"locale":"de_DE","#
        + #""session":"0190163d-8694-739b","theme":"dark"}}"#
    let script = directory + "/evaluate.lua"
    HTTPBenchmarkProcesses.write(service.luaPost(body: "'\(context)'"), to: script)
    let answer = Array(#"{"key":"bench","value":true,"variant":"on","reason":"TARGETING_MATCH","metadata":{}}"#.utf8)
    guard let peer = NginxPeer(nginx, directory: directory, body: answer) else {
        return print("service: skipped, nginx did not start")
    }
    var ours = HTTPLoad()
    var theirs = HTTPLoad()
    for _ in 0..<5 {
        let before = service.cpuSeconds
        ours.run(wrk, script: script, url: service.url + "/ofrep/v1/evaluate/flags/bench", directory: directory)
        ours.cpuSeconds += service.cpuSeconds - before
        theirs.run(wrk, script: script, url: "http://127.0.0.1:\(peer.port)/", directory: directory)
    }
    theirs.cpuSeconds = peer.stop()
    print("service: OFREP single \(ours)")
    print("service: nginx static \(theirs)")
    let ratio = benchmarkMedian(ours.rates) / max(1, benchmarkMedian(theirs.rates))
    print("service: ratio of requests/s \(Double(Int(ratio * 100)) / 100), wanted 0.5 or more")

    HTTPBenchmarkProcesses.write(service.luaStarts, to: script)
    var pins = HTTPLoad()
    for _ in 0..<5 {
        let before = service.cpuSeconds
        pins.run(wrk, script: script, url: service.url + "/v1/journeys", directory: directory)
        pins.cpuSeconds += service.cpuSeconds - before
    }
    print("service: journeys started over HTTP \(pins)")
    print("service: resident after \(Int(pins.requests)) journeys \(service.residentKilobytes / 1024) MB")
    service.stop()
    startBenchmark(directory)
}

/// From the start of the program to its first line, with a million journeys stored.
private func startBenchmark(_ directory: String) {
    do {
        let store = try Store.open(at: directory + "/data/signalbox.db")
        defer { store.close() }
        try PinLoop(store: store, inFlight: 8_192, firstTime: PinLoop.now - 3_600_000).start(1_000_000)
    } catch {
        return print("service: \(error)")
    }
    var milliseconds: [Double] = []
    for _ in 0..<5 {
        let begin = pinNanoseconds()
        guard let service = ServiceProcess(directory) else { return print("service: it did not start again") }
        milliseconds.append(Double(pinNanoseconds() - begin) / 1e6)
        service.stop()
    }
    print("service: start to ready with 1 M journeys \(Int(benchmarkMedian(milliseconds))) ms (target 300 or less)")
}
