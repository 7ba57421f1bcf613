/// One user's trip through a flow, with the choices that it was given at its start.
///
/// The choices are frozen: nothing that happens to the configuration later changes them. Only a resume may open the
/// next segment with other ones.
public struct Journey: Codable, Hashable, Sendable, Identifiable {
    /// The id, which stays through every segment.
    public let id: JourneyID
    /// The key of the flow.
    public let flow: String
    /// Counted from 1.
    public let segment: Int
    /// The choice of every route of the flow, by route key.
    public let choices: [String: Choice]
    /// The journey that this one was started from.
    public let parent: JourneyID?

    /// A journey as it was begun, or as it was stored.
    public init(
        id: JourneyID, flow: String, choices: [String: Choice], segment: Int = 1, parent: JourneyID? = nil
    ) {
        self.id = id
        self.flow = flow
        self.segment = segment
        self.choices = choices
        self.parent = parent
    }

    /// The journey as a child of another one: it takes over the parent's choices for the routes that both know, so
    /// that nobody sees two renderers of one route in one trip.
    public func inheriting(from parent: Journey) -> Journey {
        let shared = choices.merging(parent.choices.filter { choices[$0.key] != nil }) { $1 }
        return Journey(id: id, flow: flow, choices: shared, segment: segment, parent: parent.id)
    }
}
