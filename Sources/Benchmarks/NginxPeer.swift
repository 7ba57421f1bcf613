#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An nginx of our own in a temporary directory.
struct NginxPeer {
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

    /// Ends it, and tells the CPU time it has used with its workers.
    @discardableResult func stop() -> Double {
        kill(process, SIGTERM)
        var status: CInt = 0
        var usage = rusage()
        wait4(process, &status, 0, &usage)
        return HTTPBenchmarkProcesses.cpuSeconds(usage)
    }
}
