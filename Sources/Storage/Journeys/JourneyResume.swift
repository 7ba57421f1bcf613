import Rollouts
import RouteContract

/// A resume that may open a segment, before it is stored.
package struct JourneyResume: Sendable {
    /// Segments of one journey. A client that resumes more often is at fault, and may not fill the disk.
    package static let mostSegments: Int64 = 100

    package let id: JourneyID
    package let attempt: JourneyID
    package let build: BuildID
    /// The state of the configuration that new choices come from.
    package let epoch: Int64
    package let revision: Int64
    package let now: Int64
    /// Decides on the latest segment that is stored, on the writer's thread; what it throws refuses this resume alone.
    package let decide: @Sendable (JourneyRecord) throws -> SegmentDecision

    package init(
        id: JourneyID, attempt: JourneyID, build: BuildID, epoch: Int64, revision: Int64, now: Int64,
        decide: @escaping @Sendable (JourneyRecord) throws -> SegmentDecision
    ) {
        self.id = id
        self.attempt = attempt
        self.build = build
        self.epoch = epoch
        self.revision = revision
        self.now = now
        self.decide = decide
    }

    /// The next segment of a journey: the same journey, with the choices of this resume.
    package func next(after record: JourneyRecord, _ reason: SegmentReason, _ choices: JourneyChoices) -> JourneyRecord
    {
        let pin = record.pin
        return JourneyRecord(
            segment: record.segment + 1,
            pin: JourneyDraft(
                id: pin.id, flow: pin.flow, unit: pin.unit, build: build, parent: pin.parent, epoch: epoch,
                revision: revision, startedAt: pin.startedAt, expiresAt: pin.expiresAt, choices: choices,
                origin: pin.origin, opening: SegmentOpening(attempt: attempt, reason: reason, openedAt: now)))
    }
}

/// What a resume comes to, as it is stored.
package enum SegmentDecision: Hashable, Sendable {
    case stands
    case opens(SegmentReason, JourneyChoices)
    /// The journey ends, interrupted.
    case ends
}

/// What a resume found or made.
package struct ResumedJourney: Hashable, Sendable {
    /// What stands from now on, or the segment that this attempt had opened before.
    package let record: JourneyRecord
    /// Why this resume opened the segment; nil when it did not.
    package let opened: SegmentReason?
    /// Whether this resume ended the journey.
    package let isInterrupted: Bool

    package init(record: JourneyRecord, opened: SegmentReason? = nil, isInterrupted: Bool = false) {
        self.record = record
        self.opened = opened
        self.isInterrupted = isInterrupted
    }
}

/// What a device showed although another pin stands.
package struct JourneyConflict: Hashable, Sendable {
    /// The segment that stood when it was told.
    package let segment: Int64
    /// The renderer by route.
    package let choices: [String: Renderer]
    package let reportedAt: Int64

    package init(segment: Int64, choices: [String: Renderer], reportedAt: Int64) {
        self.segment = segment
        self.choices = choices
        self.reportedAt = reportedAt
    }

    /// `trips.edit=migrated;trips.list=legacy`, by route.
    var text: String {
        choices.sorted { $0.key < $1.key }.map { "\($0)=\($1.rawValue)" }.joined(separator: ";")
    }

    /// Reads what `text` writes; nil when it is not of that form.
    static func choices(_ text: String) -> [String: Renderer]? {
        var choices: [String: Renderer] = [:]
        for part in text.split(separator: ";") {
            let sides = part.split(separator: "=").map(String.init)
            guard sides.count == 2, let renderer = Renderer(rawValue: sides[1]) else { return nil }
            choices[sides[0]] = renderer
        }
        return choices
    }
}

/// What became of a conflict that was reported.
package enum ReportedConflict: Hashable, Sendable {
    /// It is stored, or an earlier report is.
    case stands(JourneyConflict, isNew: Bool)
    /// The device shows what is pinned.
    case none
    /// There is no such journey.
    case notFound
}
