import Synchronization

/// What somebody looks through the audit for.
enum LookingBack: Sendable {
    case change
    case read

    /// How many may look through the audit at once when one more has begun for this. Half of the places are left to changes:
    /// however many read, what is to be undone can be.
    fileprivate var places: Int {
        switch self {
        case .change: 4
        case .read: 2
        }
    }
}

extension Service {
    /// Whether one more may look through the audit; then `endLookingBack` is called afterwards.
    func beginLookingBack(for purpose: LookingBack) -> Bool {
        // Who is refused is never counted, so that it takes no place from another meanwhile.
        var count = pastReads.load(ordering: .relaxed)
        while count < purpose.places {
            let (isExchanged, original) = pastReads.compareExchange(
                expected: count, desired: count + 1, ordering: .relaxed)
            if isExchanged { return true }
            count = original
        }
        return false
    }

    func endLookingBack() { pastReads.subtract(1, ordering: .relaxed) }
}
