import Synchronization

/// How often each of any number of callers may ask, in a memory that is fixed.
///
/// Each caller has one place in each of two rows; a place holds the time at which its bucket of tokens would be full
/// again. A caller is refused only when both places are exhausted, so that sharing one of them with somebody greedy
/// does no harm. Nothing is ever evicted, so nobody can wash a bucket clean by asking in many names. Places follow from
/// a hash that differs from process to process, so nobody can aim at somebody else's.
final class RateTable: Sendable {
    private static let places = 1 << 14
    private static let rows = 2

    /// Microseconds until one token is back.
    private let interval: Int64
    /// Microseconds until an empty bucket is full.
    private let window: Int64
    private let fullAt: Cells

    /// Nil when there is no limit.
    init?(perSecond rate: Int, burstSeconds: Int) {
        guard rate > 0, rate <= 1_000_000, burstSeconds > 0, burstSeconds <= 3_600 else { return nil }
        interval = 1_000_000 / Int64(rate)
        window = max(interval, Int64(burstSeconds) * 1_000_000)
        fullAt = Cells(count: Self.rows * Self.places)
    }

    /// Takes a token of that caller: 0, or the microseconds until there is one. `now` is in milliseconds.
    func wait(of caller: some Hashable, at now: Int64) -> Int64 {
        let now = now &* 1_000
        let hash = UInt(bitPattern: caller.hashValue)
        let places = (Int(hash % UInt(Self.places)), Self.places + Int((hash >> 32) % UInt(Self.places)))
        let (first, second) = (fill(places.0, now), fill(places.1, now))
        let shortest = min(first, second) &+ interval &- window
        guard shortest <= 0 else { return shortest }
        take(places.0, now)
        take(places.1, now)
        return 0
    }

    /// Microseconds until the bucket is full. A clock that was set back must not lock anybody out: no bucket takes
    /// longer than the window.
    private func fill(_ place: Int, _ now: Int64) -> Int64 {
        let left = fullAt[place].load(ordering: .relaxed) &- now
        return left > 0 && left <= window ? left : 0
    }

    private func take(_ place: Int, _ now: Int64) {
        var seen = fullAt[place].load(ordering: .relaxed)
        while true {
            let left = seen &- now
            let next = now &+ min(window, (left > 0 && left <= window ? left : 0) &+ interval)
            let (done, current) = fullAt[place].compareExchange(
                expected: seen, desired: next, ordering: .relaxed)
            if done { return }
            seen = current
        }
    }
}

/// A fixed block of atomic numbers.
///
/// `@unchecked Sendable`: the block never moves, and its numbers are atomic.
private final class Cells: @unchecked Sendable {
    private let cells: UnsafeMutableBufferPointer<Atomic<Int64>>

    init(count: Int) {
        cells = .allocate(capacity: count)
        for index in cells.indices { cells.initializeElement(at: index, to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize()
        cells.deallocate()
    }

    subscript(index: Int) -> Atomic<Int64> {
        _read { yield cells[index] }
    }
}
