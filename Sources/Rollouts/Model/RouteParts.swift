import FlagEvaluation

/// The payload schema and the outcomes of a route, as a feature team registered them.
package struct RegisteredContract: Hashable, Sendable {
    package var schemaVersion: Int64
    /// Field name to type name of the route's payload; empty for a route without payload.
    package var payload: JSONObject
    /// Names of the outcomes; at least one.
    package var outcomes: [String]

    package init(schemaVersion: Int64, payload: JSONObject, outcomes: [String]) {
        self.schemaVersion = schemaVersion
        self.payload = payload
        self.outcomes = outcomes
    }
}

/// One way into a route.
package struct EntryPoint: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case deepLink, notification, restoration, inApp
    }
    package var kind: Kind
    /// The link pattern, the notification's name, or the calling screen.
    package var source: String

    package init(kind: Kind, source: String) {
        self.kind = kind
        self.source = source
    }
}

/// A name in source code that goes away with a legacy entry: `TripEditController`, `openTrip:animated:`.
package enum LegacySymbol {
    /// 3 to 128 bytes of printable ASCII without blanks: shorter names are found everywhere.
    package static func isValid(_ text: String) -> Bool {
        (3...128).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// When the legacy entry is to be deleted, and who does it.
package struct Deletion: Hashable, Sendable {
    /// `YYYY-MM-DD`.
    package var date: String
    package var owner: String

    package init(date: String, owner: String) {
        self.date = date
        self.owner = owner
    }
}

/// A deliberate, owned, bounded end state in which the route stays legacy.
package struct Island: Hashable, Sendable {
    package var owner: String
    package var reason: String
    /// `YYYY-MM-DD`.
    package var reviewDate: String

    package init(owner: String, reason: String, reviewDate: String) {
        self.owner = owner
        self.reason = reason
        self.reviewDate = reviewDate
    }
}

/// The ladder inside `partialRollout`.
package struct RolloutPlan: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        /// The cohort that the step adds; nil means everybody.
        package var cohort: String?
        /// Of 100 000.
        package var share: Int
        /// The least time at the step before the next one, at most 90 days.
        package var holdSeconds: Int64 = 0
        /// The units that must have been given migrated at the step before the next one.
        package var minimumUnits: Int = 0
        /// Whether the step is only entered once an approver has said so.
        package var needsApproval = false
        /// Whether an automatic ladder leaves the step only when every stop condition is judged not to stop.
        package var isMonitored = false

        package init(cohort: String?, share: Int) {
            self.cohort = cohort
            self.share = share
        }
    }
    /// Who takes the next step.
    package enum Advance: String, CaseIterable, Sendable {
        /// A person.
        case manual
        /// The service, as soon as the gates pass; never out of the ladder.
        case automatic
    }
    /// At least one. A later step never takes away what an earlier one gave.
    package var steps: [Step]
    /// The share of units, of 100 000, that is kept on legacy up to defaultNew as long-term control.
    package var holdout: Int
    package var advance: Advance = .manual
    /// Versions that must be released while migrated is the default, before legacy is disabled: 1 to 20.
    package var releasesBeforeDisabling: Int
    package static let usualReleasesBeforeDisabling = 2
    /// How many of an app's journeys, of 100 000, may still depend on legacy in builds before its deletion build when
    /// the route becomes oldDeleted.
    package var legacyShareAtDeletion: Int
    /// One in a hundred.
    package static let usualLegacyShare = 1_000

    package init(
        steps: [Step], holdout: Int = 0, releasesBeforeDisabling: Int = usualReleasesBeforeDisabling,
        legacyShareAtDeletion: Int = usualLegacyShare
    ) {
        self.steps = steps
        self.holdout = holdout
        self.releasesBeforeDisabling = releasesBeforeDisabling
        self.legacyShareAtDeletion = legacyShareAtDeletion
    }
}

/// An approver's word for one step of a ladder, with the cohort as it was. Any move ends it.
package struct StepApproval: Hashable, Sendable {
    /// The only step that it is for, counted from 1.
    package let step: Int
    package let by: String
    /// Milliseconds since 1970.
    package let at: Int64
    /// SHA-256 of the step and of the rules that say whom it adds. An approval without one, from an earlier release, has
    /// lapsed.
    package let hash: String?

    package init(step: Int, by: String, at: Int64, hash: String?) {
        self.step = step
        self.by = by
        self.at = at
        self.hash = hash
    }
}
