import FlagEvaluation
import Synchronization

/// Evaluations by reason. Each worker has its own, so that counting is never fought over; any thread may read.
final class EvaluationCounters: Sendable {
    private let `static` = Atomic<UInt64>(0)
    private let `default` = Atomic<UInt64>(0)
    private let targetingMatch = Atomic<UInt64>(0)
    private let disabled = Atomic<UInt64>(0)
    private let error = Atomic<UInt64>(0)

    /// Adds what one request evaluated.
    func add(_ tally: EvaluationTally) {
        for reason in Reason.allCases {
            let count = tally[reason]
            if count > 0 { cell(reason) { _ = $0.wrappingAdd(count, ordering: .relaxed) } }
        }
    }

    /// How many evaluations gave that reason.
    func count(_ reason: Reason) -> UInt64 {
        var count: UInt64 = 0
        cell(reason) { count = $0.load(ordering: .relaxed) }
        return count
    }

    private func cell(_ reason: Reason, _ use: (borrowing Atomic<UInt64>) -> Void) {
        switch reason {
        case .static: use(`static`)
        case .default: use(`default`)
        case .targetingMatch: use(targetingMatch)
        case .disabled: use(disabled)
        case .error: use(error)
        }
    }
}

/// What one request has evaluated so far, by reason.
struct EvaluationTally {
    private var counts = SIMD8<UInt64>()

    subscript(reason: Reason) -> UInt64 { counts[Self.place(of: reason)] }

    mutating func count(_ reason: Reason) { counts[Self.place(of: reason)] &+= 1 }

    private static func place(of reason: Reason) -> Int {
        switch reason {
        case .static: 0
        case .default: 1
        case .targetingMatch: 2
        case .disabled: 3
        case .error: 4
        }
    }
}
