/// One reason why a route needs a person.
package struct Need: Hashable, Sendable {
    /// What is the matter; the most urgent first. The words are those of the wire.
    package enum Kind: String, CaseIterable, Sendable {
        /// Every new journey gets legacy.
        case rolledBack
        /// A stop condition has spoken, and nobody has named the cause yet.
        case stopped
        /// New journeys of some builds or systems get legacy.
        case rolledBackInPart
        /// The ladder is frozen.
        case held
        /// A route that it requires has not come as far or, beyond `compatible`, gives only legacy.
        case ahead
        /// A date has passed, or it is held at a step that has lasted too long.
        case overdue
        /// Its next move lacks an approval and nothing else.
        case toApprove
        /// It stands where force brought it.
        case forced
        /// It is under way and nobody owns it.
        case noOwner
        /// A waiver of a move that is still to come is about to end.
        case waiverEnds
        /// It does not move.
        case stuck

        /// How urgent it is: 0 is for now, 4 for when there is time.
        package var urgency: Int {
            switch self {
            case .rolledBack, .stopped: 0
            case .rolledBackInPart, .held, .ahead: 1
            case .overdue, .toApprove: 2
            case .forced, .noOwner, .waiverEnds: 3
            case .stuck: 4
            }
        }

        /// Whether something should have been done by a time that has passed, or is about to.
        package var isOverdue: Bool { self == .overdue || self == .waiverEnds }
    }

    package let kind: Kind
    /// The key of the route.
    package let route: String
    /// Who answers for it; nil where nobody does.
    package let owner: String?
    /// Milliseconds since 1970 at which it began; nil where that is not stored, or is a date that `why` names.
    package let since: Int64?
    /// For people; it goes on from the kind, and quotes what was written of the route.
    package let why: String
    /// The command that comes next, of keys and ids alone: it is made to be copied, and what people have written is not.
    package let remedy: String
}

extension Need: Comparable {
    /// By urgency, then by route; what one route needs in the order of the kinds.
    package static func < (left: Need, right: Need) -> Bool {
        guard left.kind.urgency == right.kind.urgency else { return left.kind.urgency < right.kind.urgency }
        guard left.route == right.route else { return left.route < right.route }
        return left.kind.position < right.kind.position
    }
}

extension Need.Kind {
    fileprivate var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
