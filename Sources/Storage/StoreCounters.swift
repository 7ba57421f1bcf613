import RouteContract
import Synchronization

/// What the writer has done since the start. Only its thread adds; any thread may read.
package final class StoreCounters: Sendable {
    /// The upper bounds of the sizes of batches; a last bucket takes the rest.
    package static let batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

    private struct Value {
        var tally = JourneyTally()
        var jobs: UInt64 = 0
        var batches = [UInt64](repeating: 0, count: StoreCounters.batchBounds.count + 1)
    }
    /// Taken once a batch, so it is never fought over.
    private let value = Mutex(Value())

    init() {}

    /// What was counted, all at one moment.
    package struct Reading: Sendable {
        /// What became of journeys.
        package let tally: JourneyTally
        /// Jobs that were committed.
        package let jobs: UInt64
        /// Transactions by the number of their jobs; not cumulative.
        package let batches: [UInt64]
    }

    package var reading: Reading {
        value.withLock {
            Reading(tally: $0.tally, jobs: $0.jobs, batches: $0.batches)
        }
    }

    /// Counts a transaction that was committed.
    func count(_ results: [WriteJob.Result]) {
        let bucket = Self.batchBounds.firstIndex { results.count <= $0 } ?? Self.batchBounds.count
        value.withLock {
            for result in results { $0.tally.count(result) }
            $0.jobs += UInt64(results.count)
            $0.batches[bucket] += 1
        }
    }
}

/// What became of journeys.
package struct JourneyTally: Sendable {
    /// Journeys that were pinned.
    package private(set) var started: UInt64 = 0
    /// Starts of journeys that were pinned before.
    package private(set) var repeated: UInt64 = 0
    /// Segments that a resume opened, by reason.
    package private(set) var opened: [SegmentReason: UInt64] = [:]
    /// Journeys that ended, by status.
    package private(set) var ended: [OutcomeStatus: UInt64] = [:]
    /// Starts that a device had decided, by whether the service could follow it.
    package private(set) var decided: [PinOrigin: UInt64] = [:]
    /// Journeys of which a device showed something else.
    package private(set) var conflicts: UInt64 = 0

    mutating func count(_ result: WriteJob.Result) {
        switch result {
        case .started(let started): count(started)
        case .startedAll(let all): for case .success(let started) in all { count(started) }
        case .resumed(let resumed?):
            if let reason = resumed.opened { opened[reason, default: 0] += 1 }
            if resumed.isInterrupted { ended[.interrupted, default: 0] += 1 }
        case .finished(.recorded(let end, _)): ended[end.outcome.status, default: 0] += 1
        case .reported(.stands(_, isNew: true)): conflicts += 1
        default: break
        }
    }

    private mutating func count(_ started: StartedJourney) {
        guard started.isNew else { return repeated += 1 }
        self.started += 1
        if let origin = started.record.pin.origin { decided[origin, default: 0] += 1 }
    }
}
