/// Units that were given migrated at one step.
package struct StepUnits: Hashable, Sendable {
    /// The revision with which the step began: between counting and judging the ladder may have gone on.
    package let stepRevision: Int64
    package var count: Int

    package init(stepRevision: Int64, count: Int) {
        self.stepRevision = stepRevision
        self.count = count
    }
}

/// What is known beside the configuration when a command is judged: it is counted and shown, not configured, and moves
/// no revision.
///
/// A gate that asks for what was not found out says so, and does not pass.
package struct Facts: Hashable, Sendable {
    /// The journeys in flight by route; nil when they were not counted.
    package var livePins: [String: LivePins]?
    /// The journeys that each build started in the last 30 days; nil when they were not counted.
    package var recentJourneys: [BuildID: Int]?
    /// The units that were given migrated at a step, by route; nil when they are not counted, and no more than a route's
    /// step waits for.
    package var units: [String: StepUnits]?
    /// The evidence that there is.
    package var evidence: EvidenceLedger

    package init(
        livePins: [String: LivePins]? = nil, recentJourneys: [BuildID: Int]? = nil, units: [String: StepUnits]? = nil,
        evidence: EvidenceLedger = EvidenceLedger()
    ) {
        self.livePins = livePins
        self.recentJourneys = recentJourneys
        self.units = units
        self.evidence = evidence
    }

    /// The journeys in flight on one route; nil when they were not counted.
    func livePins(of route: String) -> LivePins? { livePins.map { $0[route] ?? LivePins() } }
}
