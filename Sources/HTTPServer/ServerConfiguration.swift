/// Where the server listens and what it puts up with.
package struct ServerConfiguration: Sendable {
    /// A numeric IPv4 or IPv6 address.
    package var address = "127.0.0.1"
    /// 0 takes any free port; `HTTPServer.port` tells which.
    package var port: UInt16 = 8080
    /// Threads, each with its own listening socket.
    package var workers = 2
    /// Open connections of all workers together; further ones are answered 503 and closed.
    package var connectionLimit = 20_000
    /// Open event streams of all workers together; further ones are answered 503.
    package var streamLimit = 16_000
    /// The request line and the header lines together, in bytes.
    package var headLimit = 16_384
    /// The path and query, in bytes.
    package var targetLimit = 4_096
    /// From the first byte of a request to the end of its header.
    package var headDeadlineSeconds = 10.0
    /// From the end of the header to the end of the body.
    package var bodyDeadlineSeconds = 30.0
    /// From the answer to its last byte handed to the kernel.
    package var writeDeadlineSeconds = 30.0
    /// How long a connection may stay open without a request.
    package var idleTimeoutSeconds = 75.0

    /// Told on the worker's thread of requests that failed, took long or say something about themselves; must be brief.
    package var report: (@Sendable (RequestReport) -> Void)?
    /// Tells of every request, not only of the remarkable ones.
    package var reportsEveryRequest = false
    /// From when on a request took long.
    package var slowSeconds = 1.0

    /// The defaults.
    package init() {}
}
