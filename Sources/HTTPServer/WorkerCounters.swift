import CEvHTTP
import Synchronization

/// The counters of one worker. Only its thread writes them, so a plain addition will do; any thread may read.
///
/// `@unchecked`: a fixed block of atomic numbers, freed with the last reference.
final class WorkerCounters: @unchecked Sendable {
    private static let statusClasses = 6
    private static let buckets = ServerCounters.latencyBoundsMicroseconds.count + 1
    /// Status classes, then latency buckets, then the sum of the latencies.
    private static let perRoute = statusClasses + buckets + 1
    private static let reasons = Int(SBX_TOO_MANY_CONNECTIONS.rawValue) + 1

    private let routeCount: Int
    private let cells: UnsafeMutableBufferPointer<Atomic<UInt64>>

    init(routeCount: Int) {
        self.routeCount = routeCount
        cells = .allocate(capacity: (routeCount + 1) * Self.perRoute + Self.reasons)
        for index in cells.indices { cells.initializeElement(at: index, to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize()
        cells.deallocate()
    }

    private func add(_ amount: UInt64, at index: Int) {
        cells[index].store(cells[index].load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    func count(route: Int?, status: Int, nanoseconds: UInt64) {
        let base = (route ?? routeCount) * Self.perRoute
        let microseconds = nanoseconds / 1_000
        var bucket = 0
        while bucket < Self.buckets - 1, microseconds > ServerCounters.latencyBoundsMicroseconds[bucket] { bucket += 1 }
        add(1, at: base + min(max(status / 100, 0), Self.statusClasses - 1))
        add(1, at: base + Self.statusClasses + bucket)
        add(microseconds, at: base + Self.statusClasses + Self.buckets)
    }

    func count(refusal reason: sbx_reason) {
        add(1, at: (routeCount + 1) * Self.perRoute + min(Int(reason.rawValue), Self.reasons - 1))
    }

    func add(to total: inout ServerCounters) {
        for route in 0..<routeCount { addRoute(route, to: &total.routes[route]) }
        addRoute(routeCount, to: &total.unrouted)
        for reason in 0..<Self.reasons {
            let count = cells[(routeCount + 1) * Self.perRoute + reason].load(ordering: .relaxed)
            guard count > 0 else { continue }
            let status = Refusal(sbx_reason(rawValue: UInt32(reason))).status
            total.refusedByStatus[status, default: 0] += count
        }
    }

    private func addRoute(_ route: Int, to total: inout ServerCounters.PerRoute) {
        let base = route * Self.perRoute
        func value(_ offset: Int) -> UInt64 { cells[base + offset].load(ordering: .relaxed) }
        for index in 0..<Self.statusClasses { total.answersByStatusClass[index] += value(index) }
        for index in 0..<Self.buckets { total.latencies[index] += value(Self.statusClasses + index) }
        total.latencyMicroseconds += value(Self.statusClasses + Self.buckets)
    }
}
