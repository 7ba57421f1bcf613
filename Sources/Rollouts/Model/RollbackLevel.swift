/// How far a rollback goes beside giving legacy to new journeys. Each level does what the lower ones do.
package enum RollbackLevel: String, CaseIterable, Sendable {
    /// Journeys in flight finish in the renderer that they have.
    case drain
    /// A journey that is restored after its process died goes on in legacy, as a new segment.
    case repinOnResume = "repin-on-resume"
    /// Journeys in flight that have migrated are told to end, as `interrupted`.
    case abort
}

extension RollbackLevel: Comparable {
    package static func < (left: RollbackLevel, right: RollbackLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .drain: 0
        case .repinOnResume: 1
        case .abort: 2
        }
    }
}
