import Synchronization

/// Sends events to all streams that were opened on it, of all workers. Callable anywhere.
///
/// An event replaces an earlier one that a stream has not been sent yet: streams carry news of the newest state, not a
/// history.
package final class EventChannel: Sendable {
    /// What was counted since the start, and what is open now.
    package struct Counters: Sendable {
        package let open: Int
        package let opened: UInt64
        /// Ended because the reader was too slow.
        package let dropped: UInt64
        /// Events handed to streams, heartbeats not counted.
        package let sent: UInt64
    }

    private struct Member {
        weak var streams: WorkerStreams?
    }
    private let members = Mutex<[Member]>([])
    private let open = Atomic<Int>(0)
    private let opened = Atomic<UInt64>(0)
    private let dropped = Atomic<UInt64>(0)
    private let sent = Atomic<UInt64>(0)

    /// A channel without streams.
    package init() {}

    package var counters: Counters {
        Counters(
            open: open.load(ordering: .relaxed), opened: opened.load(ordering: .relaxed),
            dropped: dropped.load(ordering: .relaxed), sent: sent.load(ordering: .relaxed))
    }

    /// Sends an event, as it goes on the wire. Later events have larger numbers.
    package func send(_ event: [UInt8], number: Int64) {
        post { $0.event = (event, number) }
    }

    /// Sends something that only shows that the stream lives.
    package func beat(_ comment: [UInt8]) {
        post { $0.beat = comment }
    }

    /// Ends the streams for which it holds, by owner and end.
    package func end(where holds: @escaping @Sendable (_ owner: String, _ endsAt: Int64) -> Bool) {
        post { $0.endings.append(holds) }
    }

    private func post(_ change: (inout WorkerStreams.Mail) -> Void) {
        let streams = members.withLock { members in members.compactMap { $0.streams } }
        for one in streams { one.post(change) }
    }

    func join(_ streams: WorkerStreams) {
        members.withLock { members in
            members.removeAll { $0.streams == nil }
            members.append(Member(streams: streams))
        }
    }

    func countOpened() {
        open.add(1, ordering: .relaxed)
        opened.add(1, ordering: .relaxed)
    }

    func countClosed() { open.subtract(1, ordering: .relaxed) }
    func countDropped() { dropped.add(1, ordering: .relaxed) }
    func countSent() { sent.add(1, ordering: .relaxed) }
}
