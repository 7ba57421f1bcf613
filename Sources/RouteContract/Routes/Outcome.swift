/// How a journey ended, in the contract's own words. Exactly one a journey.
///
/// An outcome may carry values for the caller (`saved(tripID)`). Those stay in the app: only ``status`` and ``name``
/// are reported.
public protocol Outcome: Hashable, Sendable {
    /// The word for it in reports: `saved`.
    var name: String { get }
    /// What it means to the service.
    var status: OutcomeStatus { get }
    /// What a back swipe, a swipe down or a pop to the root means.
    static var cancelled: Self { get }
}

extension Outcome {
    /// Whether the user got what the flow is for.
    public var isSuccess: Bool { status == .completed }
}

/// How a journey ended, in the words of the service.
public enum OutcomeStatus: String, CaseIterable, Codable, Hashable, Sendable {
    /// The user got what the flow is for.
    case completed
    /// The user left on purpose.
    case cancelled
    /// The flow could not be done.
    case failed
    /// The route was aborted by a rollback.
    case interrupted
    /// The process died in the journey.
    case crashed
    /// The journey's lifetime passed without another outcome.
    case abandoned
}

/// What is reported of an outcome.
public struct JourneyOutcome: Codable, Hashable, Sendable {
    /// What it means to the service.
    public let status: OutcomeStatus
    /// The contract's own word; nil when the journey ended without the contract being asked.
    public let name: String?

    /// An outcome by its words.
    public init(status: OutcomeStatus, name: String? = nil) {
        self.status = status
        self.name = name
    }

    /// What is reported of a contract's outcome.
    public init(_ outcome: some Outcome) { self.init(status: outcome.status, name: outcome.name) }
}
