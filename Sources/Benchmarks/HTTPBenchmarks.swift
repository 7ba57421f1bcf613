import HTTPServer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Requests a second of a trivial POST handler against nginx with a static body of the same size: the same load, in
/// turns, 64 connections, two workers each. The load shares the machine with the server, so only the ratio means much.
func httpBenchmarks() {
    guard let wrk = HTTPBenchmarkProcesses.executable("wrk"), let nginx = HTTPBenchmarkProcesses.executable("nginx")
    else {
        print("http: skipped, needs wrk and nginx")
        return
    }
    let body = Array(#"{"key":"trips.edit","value":"migrated","variant":"migrated","reason":"SPLIT"}"#.utf8)
    guard let directory = temporaryFolder() else { return print("http: skipped, no temporary directory") }
    defer { HTTPBenchmarkProcesses.remove(directory) }

    let server = HTTPServer(configuration: benchmarkConfiguration(), router: benchmarkRouter(body))
    do { try server.start() } catch { return print("http: \(error.message)") }
    defer { server.stop(graceSeconds: 1) }
    guard let peer = NginxPeer(nginx, directory: directory, body: body) else {
        return print("http: skipped, nginx did not start")
    }
    let script = directory + "/post.lua"
    HTTPBenchmarkProcesses.write(
        #"""
        wrk.method = "POST"
        wrk.headers["Content-Type"] = "application/json"
        wrk.body = '{"context":{"targetingKey":"u-1","build":"app:730","plan":"pro"}}'
        """#, to: script)

    let url = { (port: UInt16) in "http://127.0.0.1:\(port)/v1/flags/trips.edit/evaluate" }
    var ours = HTTPLoad()
    var theirs = HTTPLoad()
    for _ in 0..<5 {
        let before = HTTPBenchmarkProcesses.cpuSeconds()
        ours.run(wrk, script: script, url: url(server.port), directory: directory)
        ours.cpuSeconds += HTTPBenchmarkProcesses.cpuSeconds() - before
        theirs.run(wrk, script: script, url: url(peer.port), directory: directory)
    }
    theirs.cpuSeconds = peer.stop()
    print("http: signalbox \(ours), nginx \(theirs)")
    let (own, other) = (benchmarkMedian(ours.rates), benchmarkMedian(theirs.rates))
    print("http: ratio of requests/s \(other > 0 ? Double(Int(own / other * 100)) / 100 : 0), wanted 0.5 or more")
}

private func benchmarkConfiguration() -> ServerConfiguration {
    var configuration = ServerConfiguration()
    configuration.port = 0
    configuration.workers = 2
    return configuration
}

private func benchmarkRouter(_ body: [UInt8]) -> Router {
    let answer = Response(status: 200, body: body)
    var routes = Routes()
    routes.post("/v1/flags/:key/evaluate") { request in
        request.withParameter(at: 0) { $0.isEmpty } ? .now(Response(status: 404)) : .now(answer)
    }
    let failure: @Sendable (Refusal) -> Response = { Response(status: $0.status, body: Array($0.code.utf8)) }
    return Router(
        routes, errors: ErrorResponses(forError: { _ in Response(status: 500) }, forRefusal: failure))
}
