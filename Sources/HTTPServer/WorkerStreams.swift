import CEvHTTP
import Synchronization

/// The streams of one channel on one worker.
///
/// Sending goes in slices: after each, the worker looks at its sockets, so that a flip that reaches thousands of streams
/// does not hold up evaluations.
///
/// `@unchecked Sendable`: everything but the mail is touched on the worker's thread only.
final class WorkerStreams: @unchecked Sendable {
    /// What other threads ask for.
    struct Mail {
        var event: (bytes: [UInt8], number: Int64)?
        var beat: [UInt8]?
        var endings: [@Sendable (String, Int64) -> Bool] = []
    }

    private struct Entry {
        let connection: OpaquePointer
        let owner: String
        let endsAt: Int64
        /// The number of the event that it was sent last. A stream may open with an event that is still in the mail.
        var seen: Int64
    }

    // 5 000 streams take about a quarter of a second, and a request that finds the worker sending waits for less than
    // 0.1 ms. Larger slices with longer pauses take as long and hold up more. A number and not a time: a thread that has
    // to share its core would send less in its time, and pause as long.
    private static let slice = 6
    private static let microsecondsBetweenSlices: UInt32 = 160

    private let channel: EventChannel
    private let worker: Worker
    private let mail = Mutex<Mail?>(nil)
    private var entries: [Entry] = []
    private var event: [UInt8] = []
    private var eventNumber = Int64.min
    private var beat: [UInt8] = []
    // Both go down to 0. A stream that closes is replaced by the last one, which has been passed already; `seen` tells
    // whether it has been sent the event. Beats wait for events, which show that a stream lives as well.
    private var eventCursor = 0
    /// The event has replaced one that not all had been sent: those that were sent that one come after the rest, or
    /// changes that never stop would leave the last ones without any.
    private var isRoundDue = false
    private var beatCursor = 0

    init(_ channel: EventChannel, on worker: Worker) {
        self.channel = channel
        self.worker = worker
        channel.join(self)
    }

    /// Callable anywhere.
    func post(_ change: (inout Mail) -> Void) {
        let isFirst = mail.withLock { waiting in
            let isFirst = waiting == nil
            var changed = waiting ?? Mail()
            change(&changed)
            waiting = changed
            return isFirst
        }
        if isFirst { worker.wakeForStreams() }
    }

    /// Begins a stream on the request that is being handled.
    func open(_ stream: EventStream, on connection: OpaquePointer) {
        entries.append(
            Entry(connection: connection, owner: stream.owner, endsAt: stream.endsAt, seen: stream.knows))
        channel.countOpened()
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = stream.head.withAnswer(isStream: true) {
            sbx_stream_begin(connection, $0, context, entries.count - 1)
        }
    }

    /// The stream at that index has closed.
    func forget(_ index: Int) {
        guard entries.indices.contains(index) else { return }
        let last = entries.removeLast()
        if index < entries.count {
            entries[index] = last
            sbx_stream_set_index(last.connection, index)
        }
        channel.countClosed()
    }

    func collectMail() {
        let arrived = mail.withLock { waiting in
            let all = waiting
            waiting = nil
            return all
        }
        guard let arrived else { return }
        for ending in arrived.endings { end(where: ending) }
        if let event = arrived.event, event.number > eventNumber {
            self.event = event.bytes
            eventNumber = event.number
            isRoundDue = eventCursor > 0
            if !isRoundDue { eventCursor = entries.count }
        }
        if let beat = arrived.beat {
            self.beat = beat
            beatCursor = entries.count
        }
        goOn()
    }

    private func end(where holds: (String, Int64) -> Bool) {
        var index = entries.count
        while index > 0 {
            index = min(index, entries.count) - 1
            guard index >= 0 else { return }
            if holds(entries[index].owner, entries[index].endsAt) { sbx_stream_end(entries[index].connection) }
        }
    }

    /// Sends one slice of what is to be sent.
    func goOn() {
        for _ in 0..<Self.slice {
            if let index = nextForEvent() {
                entries[index].seen = eventNumber
                // Counted first: whoever has read it finds it in the counters.
                channel.countSent()
                send(event, to: entries[index].connection)
            } else if let index = nextForBeat() {
                send(beat, to: entries[index].connection)
            } else {
                return
            }
        }
        worker.resumeStreams(afterMicroseconds: Self.microsecondsBetweenSlices)
    }

    private func nextForEvent() -> Int? {
        while true {
            eventCursor = min(eventCursor, entries.count)
            if eventCursor == 0 {
                guard isRoundDue else { return nil }
                isRoundDue = false
                eventCursor = entries.count
            } else {
                eventCursor -= 1
                if entries[eventCursor].seen < eventNumber { return eventCursor }
            }
        }
    }

    private func nextForBeat() -> Int? {
        beatCursor = min(beatCursor, entries.count)
        guard beatCursor > 0 else { return nil }
        beatCursor -= 1
        return beatCursor
    }

    private func send(_ bytes: [UInt8], to connection: OpaquePointer) {
        let isOpen = bytes.withUnsafeBytes {
            sbx_stream_send(connection, sbx_span(bytes: $0.baseAddress, count: $0.count))
        }
        if !isOpen { channel.countDropped() }
    }
}
