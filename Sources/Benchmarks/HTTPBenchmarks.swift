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
    var template = Array("/tmp/signalbox-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return print("http: skipped, no temporary directory") }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { HTTPBenchmarkProcesses.remove(directory) }

    let server = HTTPServer(configuration: benchmarkConfiguration(), router: benchmarkRouter(body))
    do { try server.start() } catch { return print("http: \(error.message)") }
    defer { server.stop(graceSeconds: 1) }
    guard let peer = NginxPeer(nginx, directory: directory, body: body) else {
        return print("http: skipped, nginx did not start")
    }
    defer { peer.stop() }
    let script = directory + "/post.lua"
    HTTPBenchmarkProcesses.write(
        #"""
        wrk.method = "POST"
        wrk.headers["Content-Type"] = "application/json"
        wrk.body = '{"context":{"targetingKey":"u-1","build":"app:730","plan":"pro"}}'
        """#, to: script)

    func rate(port: UInt16) -> Double {
        let output = directory + "/wrk.out"
        let arguments = ["-t1", "-c64", "-d3s", "-s", script, "http://127.0.0.1:\(port)/v1/flags/trips.edit/evaluate"]
        guard let process = HTTPBenchmarkProcesses.spawn(wrk, arguments, output: output) else { return 0 }
        var status: CInt = 0
        waitpid(process, &status, 0)
        return HTTPBenchmarkProcesses.requestsPerSecond(in: HTTPBenchmarkProcesses.contents(of: output))
    }
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<5 {
        ours.append(rate(port: server.port))
        theirs.append(rate(port: peer.port))
    }
    let (own, other) = (median(ours), median(theirs))
    print("http: signalbox \(Int(own)) requests/s, nginx \(Int(other)), medians of \(ours.count) rounds")
    print("http: ratio \(other > 0 ? Double(Int(own / other * 100)) / 100 : 0), wanted 0.5 or more")
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

private func median(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
}

/// An nginx of our own in a temporary directory.
private struct NginxPeer {
    let port: UInt16
    private let process: pid_t

    init?(_ program: String, directory: String, body: [UInt8]) {
        guard let port = HTTPBenchmarkProcesses.freePort() else { return nil }
        self.port = port
        let text = String(decoding: body, as: UTF8.self)
        HTTPBenchmarkProcesses.write(
            """
            worker_processes 2;
            daemon off;
            pid \(directory)/nginx.pid;
            error_log \(directory)/error.log;
            events { worker_connections 1024; }
            http {
                access_log off;
                keepalive_requests 100000000;
                client_body_temp_path \(directory);
                proxy_temp_path \(directory);
                fastcgi_temp_path \(directory);
                uwsgi_temp_path \(directory);
                scgi_temp_path \(directory);
                server {
                    listen 127.0.0.1:\(port) reuseport;
                    default_type application/json;
                    location / { return 200 '\(text)'; }
                }
            }

            """, to: directory + "/nginx.conf")
        let arguments = ["-p", directory, "-c", directory + "/nginx.conf", "-e", directory + "/error.log"]
        guard let process = HTTPBenchmarkProcesses.spawn(program, arguments, output: directory + "/nginx.out") else {
            return nil
        }
        self.process = process
        for _ in 0..<200 where !HTTPBenchmarkProcesses.accepts(port) { usleep(10_000) }
        guard HTTPBenchmarkProcesses.accepts(port) else {
            stop()
            return nil
        }
    }

    func stop() {
        kill(process, SIGTERM)
        var status: CInt = 0
        waitpid(process, &status, 0)
    }
}
