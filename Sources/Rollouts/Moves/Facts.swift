/// What is known beside the configuration when a command is judged: it is counted and shown, not configured, and moves
/// no revision.
///
/// A gate that asks for what was not found out says so, and does not pass.
package struct Facts: Hashable, Sendable {
    /// The journeys in flight by route; nil when they were not counted.
    package var livePins: [String: LivePins]?
    /// The evidence that there is.
    package var evidence: EvidenceLedger

    package init(livePins: [String: LivePins]? = nil, evidence: EvidenceLedger = EvidenceLedger()) {
        self.livePins = livePins
        self.evidence = evidence
    }

    /// The journeys in flight on one route; nil when they were not counted.
    func livePins(of route: String) -> LivePins? { livePins.map { $0[route] ?? LivePins() } }
}
