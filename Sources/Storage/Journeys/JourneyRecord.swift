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
    /// Nil when the service chose.
    package let origin: PinOrigin?
    /// Nil for the first segment.
    package let opening: SegmentOpening?

    package init(
        id: JourneyID, flow: String, unit: String, build: BuildID, parent: JourneyID? = nil, epoch: Int64,
        revision: Int64, startedAt: Int64, expiresAt: Int64, choices: JourneyChoices, origin: PinOrigin? = nil,
        opening: SegmentOpening? = nil
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
        self.origin = origin
        self.opening = opening
    }
}

/// Whose choices the first segment of a journey holds, when a device made them.
package enum PinOrigin: String, CaseIterable, Sendable {
    /// A device decided offline, and the service came to the same for that revision.
    case decided
    /// A device says that it decided so; the service could not come to the same. Counted in the drain view alone.
    case unverified
}

/// How a later segment of a journey came to be.
package struct SegmentOpening: Hashable, Sendable {
    /// The client's id of the resume: the same resume again opens no other segment.
    package let attempt: JourneyID
    package let reason: SegmentReason
    package let openedAt: Int64

    package init(attempt: JourneyID, reason: SegmentReason, openedAt: Int64) {
        self.attempt = attempt
        self.reason = reason
        self.openedAt = openedAt
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

    package init(segment: Int64, pin: JourneyDraft, outcome: EndedJourney? = nil) {
        self.segment = segment
        self.pin = pin
        self.outcome = outcome
    }
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

    /// Whether it is one more for statistics: what a device decided and nobody could follow is not.
    var isCounted: Bool { isNew && record.pin.origin != .unverified }
}

/// What became of an outcome that was reported.
package enum FinishedJourney: Hashable, Sendable {
    /// It is the outcome of a journey of that flow from now on.
    case recorded(EndedJourney, flow: String)
    /// The same outcome had been reported before.
    case repeated(EndedJourney, flow: String)
    /// Another outcome had been reported before; it stands.
    case conflict(EndedJourney)
    /// There is no such journey.
    case notFound
}
