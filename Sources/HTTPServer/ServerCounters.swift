/// What the server has counted since it started.
package struct ServerCounters: Sendable {
    /// The upper bounds of the latency buckets in microseconds; a last bucket takes the rest.
    package static let latencyBoundsMicroseconds: [UInt64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000,
    ]

    /// One route.
    package struct PerRoute: Sendable {
        /// Answers by hundreds of their status: index 2 counts 200 ... 299.
        package var answersByStatusClass = [UInt64](repeating: 0, count: 6)
        /// Answers by latency, from the whole request read to the answer handed over; not cumulative.
        package var latencies = [UInt64](repeating: 0, count: ServerCounters.latencyBoundsMicroseconds.count + 1)
        /// The sum of all latencies.
        package var latencyMicroseconds: UInt64 = 0
    }

    /// In the order of `Router.routes`.
    package var routes: [PerRoute]
    /// Answers to paths that match no route.
    package var unrouted = PerRoute()
    /// Requests and connections refused below the router, by status.
    package var refusedByStatus: [Int: UInt64] = [:]
    /// Connections accepted since the start.
    package var acceptedConnections: UInt64 = 0
    /// Connections open now.
    package var openConnections = 0
    /// Requests parked now.
    package var parkedRequests = 0

    init(routeCount: Int) {
        routes = Array(repeating: PerRoute(), count: routeCount)
    }
}
