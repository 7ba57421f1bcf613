import Synchronization

/// What the writer has done since the start. Only its thread adds; any thread may read.
package final class StoreCounters: Sendable {
    /// The upper bounds of the sizes of batches; a last bucket takes the rest.
    package static let batchBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]

    private struct Value {
        var journeysStarted: UInt64 = 0
        var journeysRepeated: UInt64 = 0
        var jobs: UInt64 = 0
        var batches = [UInt64](repeating: 0, count: StoreCounters.batchBounds.count + 1)
    }
    /// Taken once a batch, so it is never fought over.
    private let value = Mutex(Value())

    init() {}

    /// What was counted, all at one moment.
    package struct Reading: Sendable {
        /// Journeys that were pinned.
        package let journeysStarted: UInt64
        /// Starts of journeys that were pinned before.
        package let journeysRepeated: UInt64
        /// Jobs that were committed.
        package let jobs: UInt64
        /// Transactions by the number of their jobs; not cumulative.
        package let batches: [UInt64]
    }

    package var reading: Reading {
        value.withLock {
            Reading(
                journeysStarted: $0.journeysStarted, journeysRepeated: $0.journeysRepeated, jobs: $0.jobs,
                batches: $0.batches)
        }
    }

    /// Counts a transaction that was committed.
    func count(_ results: [WriteJob.Result]) {
        let bucket = Self.batchBounds.firstIndex { results.count <= $0 } ?? Self.batchBounds.count
        var (started, repeated): (UInt64, UInt64) = (0, 0)
        for result in results {
            for isNew in result.starts {
                if isNew { started += 1 } else { repeated += 1 }
            }
        }
        value.withLock {
            $0.journeysStarted += started
            $0.journeysRepeated += repeated
            $0.jobs += UInt64(results.count)
            $0.batches[bucket] += 1
        }
    }
}

extension WriteJob.Result {
    /// Whether each start among the results made a journey.
    fileprivate var starts: [Bool] {
        switch self {
        case .started(let started): [started.isNew]
        case .startedAll(let all): all.compactMap { try? $0.get().isNew }
        case .finished, .changed, .recorded, .swept, .notedKeyUse, .refused: []
        }
    }
}
