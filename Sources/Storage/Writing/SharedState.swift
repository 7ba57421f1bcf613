import Rollouts
import Synchronization

/// What the writer shows to everybody: only what is committed.
final class SharedState: Sendable {
    private struct Value {
        var configuration: Configuration
        var evidence: EvidenceLedger
        var failure: StoreError?
        var lastWrite: StoreError?
    }

    private let value: Mutex<Value>
    let recent: RecentJourneys
    let counters = StoreCounters()

    init(_ configuration: Configuration, _ evidence: EvidenceLedger, recentJourneys: Int) {
        value = Mutex(Value(configuration: configuration, evidence: evidence))
        recent = RecentJourneys(capacity: recentJourneys)
    }

    var configuration: Configuration { value.withLock { $0.configuration } }

    var evidence: EvidenceLedger { value.withLock { $0.evidence } }

    /// Why nothing is written any more.
    var failure: StoreError? { value.withLock { $0.failure } }

    /// Why the last transaction was not stored; nil when it was.
    var lastWriteFailure: StoreError? { value.withLock { $0.lastWrite } }

    /// Remembers how the last transaction ended; gives whether that is news.
    func noteWrite(_ failure: StoreError?) -> Bool {
        value.withLock { value in
            defer { value.lastWrite = failure }
            return value.lastWrite?.code != failure?.code
        }
    }

    func publish(_ configuration: Configuration) { value.withLock { $0.configuration = configuration } }

    func publish(_ evidence: EvidenceLedger) { value.withLock { $0.evidence = evidence } }

    func stopWrites(_ failure: StoreError) {
        value.withLock { if $0.failure == nil { $0.failure = failure } }
    }
}
