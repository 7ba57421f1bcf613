#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// OFREP over HTTP against fast-feature, an OpenFeature server in Python: the same flags, rule, context and connections,
/// one flag and a hundred at once.
func peerBenchmarks() {
    let python = ".venv/bin/python"
    guard let wrk = HTTPBenchmarkProcesses.executable("wrk"), access(python, X_OK) == 0 else {
        print("ofrep: skipped, needs wrk, and the .venv of deploy/bootstrap test in the working directory")
        return
    }
    guard let directory = temporaryFolder() else { return print("ofrep: skipped, no temporary directory") }
    defer {
        HTTPBenchmarkProcesses.remove(directory + "/data")
        HTTPBenchmarkProcesses.remove(directory)
    }
    guard let service = ServiceProcess(directory), let port = HTTPBenchmarkProcesses.freePort(),
        let peer = HTTPBenchmarkProcesses.spawn(
            python, ["Tests/Conformance/peer.py", "\(port)", "100"], output: directory + "/peer.out")
    else { return print("ofrep: skipped, a server did not start") }
    defer {
        service.stop()
        kill(peer, SIGTERM)
        var status: CInt = 0
        waitpid(peer, &status, 0)
    }
    for _ in 0..<1_000 where !HTTPBenchmarkProcesses.accepts(port) { usleep(10_000) }
    guard HTTPBenchmarkProcesses.accepts(port) else {
        return print(
            "ofrep: skipped, fast-feature did not start: \(HTTPBenchmarkProcesses.contents(of: directory + "/peer.out"))"
        )
    }
    for number in 0..<100 { service.registerFlag("bench-\(number)", definition: definition) }
    let context =
        #"'{"context":{"targetingKey":"u-1","country":"DE","tier":3,"email":"mia@example.org","plan":"pro"}}'"#
    HTTPBenchmarkProcesses.write(service.luaPost(body: context), to: directory + "/load.lua")
    for (name, path) in [("single", "/ofrep/v1/evaluate/flags/bench-7"), ("bulk of 100", "/ofrep/v1/evaluate/flags")] {
        var ours = HTTPLoad()
        var theirs = HTTPLoad()
        for _ in 0..<3 {
            ours.run(wrk, script: directory + "/load.lua", url: service.url + path, directory: directory)
            theirs.run(
                wrk, script: directory + "/load.lua", url: "http://127.0.0.1:\(port)\(path)", directory: directory)
        }
        let (own, other) = (benchmarkMedian(ours.rates), benchmarkMedian(theirs.rates))
        print(
            "ofrep: \(name) \(Int(own)) requests/s, fast-feature \(Int(other)), failures \(Int(ours.failures)) and "
                + "\(Int(theirs.failures)): ratio \(Double(Int(own / max(1, other) * 10)) / 10), wanted 10 or more")
    }
}

private let definition =
    #"{"state":"ENABLED","variants":{"on":true,"off":false},"defaultVariant":"off","targeting":{"if":[{"and":["#
    + #"{"==":[{"var":"country"},"DE"]},{">=":[{"var":"tier"},2]},{"ends_with":[{"var":"email"},"@example.org"]}"#
    + #"]},"on","off"]}}"#
