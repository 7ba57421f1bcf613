/// A journey that has screens on a stack.
@MainActor
struct RunningJourney {
    let journey: Journey
    /// When it leaves, the journey is over.
    let firstScreen: ScreenID
    /// What the flow's contract calls a journey that the user left.
    let cancelled: any Outcome
    let onOutcome: @MainActor ((any Outcome)?) -> Void
    /// The journey may have its outcome before its screens have left.
    var hasOutcome = false
    /// The keys of the routes that were shown.
    var exposed: Set<String> = []
}

/// Which notification started which journey. Holds the last few, so that a long-lived app does not grow.
struct SeenNotifications {
    /// A notification that is delivered twice is so within seconds; nobody opens this many between.
    static let capacity = 64

    private var journeys: [String: JourneyID] = [:]
    private var order: [String] = []

    /// The journey that the notification has started.
    func journey(for notification: String) -> JourneyID? { journeys[notification] }

    /// Keeps it, and forgets the oldest beyond the capacity.
    mutating func remember(_ journey: JourneyID, for notification: String) {
        if journeys.updateValue(journey, forKey: notification) == nil { order.append(notification) }
        if order.count > Self.capacity { journeys[order.removeFirst()] = nil }
    }
}
