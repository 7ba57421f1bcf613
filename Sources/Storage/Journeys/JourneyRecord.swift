import Rollouts
import RouteContract

/// The start of a journey, before it is stored.
package struct JourneyDraft: Hashable, Sendable {
    package let id: JourneyID
    /// The key of the flow.
    package let flow: String
    package let unit: String
    package let build: BuildID
    package let parent: JourneyID?
    /// The state of the configuration that all choices come from.
    package let epoch: Int64
    package let revision: Int64
    /// Milliseconds since 1970, as all times here.
    package let startedAt: Int64
    package let expiresAt: Int64
    package let choices: JourneyChoices

    package init(
        id: JourneyID, flow: String, unit: String, build: BuildID, parent: JourneyID? = nil, epoch: Int64,
        revision: Int64, startedAt: Int64, expiresAt: Int64, choices: JourneyChoices
    ) {
        self.id = id
        self.flow = flow
        self.unit = unit
        self.build = build
        self.parent = parent
        self.epoch = epoch
        self.revision = revision
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.choices = choices
    }
}

/// A journey as it is stored: its latest segment, and how it ended.
package struct JourneyRecord: Hashable, Sendable {
    /// Counted from 1.
    package let segment: Int64
    /// What was pinned. Never rewritten.
    package let pin: JourneyDraft
    /// Nil while the journey is in flight.
    package var outcome: EndedJourney?
}

/// The one outcome of a journey.
package struct EndedJourney: Hashable, Sendable {
    package let outcome: JourneyOutcome
    package let endedAt: Int64
}

/// What a start found or made.
package struct StartedJourney: Hashable, Sendable {
    /// What stands from now on, which is an earlier start's when there was one: compare flow, unit, app and parent.
    package let record: JourneyRecord
    /// Whether this start made it.
    package let isNew: Bool
}

/// What became of an outcome that was reported.
package enum FinishedJourney: Hashable, Sendable {
    /// It is the journey's outcome from now on.
    case recorded(EndedJourney)
    /// The same outcome had been reported before.
    case repeated(EndedJourney)
    /// Another outcome had been reported before; it stands.
    case conflict(EndedJourney)
    /// There is no such journey.
    case notFound
}

/// Journeys of a flow that are in flight and agree in route, renderer and build.
package struct LiveJourneys: Hashable, Sendable {
    package let route: String
    package let renderer: Renderer
    package let build: BuildID
    package let count: Int
}
