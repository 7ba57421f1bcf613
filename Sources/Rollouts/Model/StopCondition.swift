import FlagEvaluation

/// A guardrail: a metric with a bound, written down and frozen before anybody is exposed.
package struct StopCondition: Hashable, Sendable {
    /// A condition is known by its route and its key. What is changed after it was frozen is another version, which
    /// starts with no data.
    package struct ID: Hashable, Sendable {
        package let route: String
        package let key: String
        /// From 1.
        package let version: Int

        package init(route: String, key: String, version: Int) {
            self.route = route
            self.key = key
            self.version = version
        }
    }

    /// What is measured.
    package enum Metric: String, CaseIterable, Sendable {
        case crash, hang, completion, loadTime, hitchRatio, sampleRatio
    }
    /// What is counted: distinct devices, or the first journey of each unit.
    package enum Unit: String, CaseIterable, Sendable {
        case device, firstJourney
    }
    /// The direction that is harm.
    package enum Direction: String, CaseIterable, Sendable {
        case up, down, both
    }
    /// What a stop does.
    package enum Action: String, CaseIterable, Sendable {
        case rollback, hold, warn
    }
    /// The test, with what it fixes before it sees data.
    package enum Method: Hashable, Sendable {
        /// For rare yes or no; the ratios, above 1, over which the e-process averages.
        case conditionalBinomial(grid: [Double])
        /// For common yes or no and means; the number of units for which it is narrowest.
        case confidenceSequence(plannedUnits: Int64)
        /// For the split of units over the arms; how sure the prior is.
        case dirichletMultinomial(concentration: Double)

        /// Its word on the wire.
        package enum Test: String, CaseIterable, Sendable {
            case conditionalBinomial, confidenceSequence, dirichletMultinomial
        }
        package var test: Test {
            switch self {
            case .conditionalBinomial: .conditionalBinomial
            case .confidenceSequence: .confidenceSequence
            case .dirichletMultinomial: .dirichletMultinomial
            }
        }
    }

    /// All that is frozen.
    package struct Definition: Hashable, Sendable {
        package var metric: Metric
        package var unit: Unit
        package var direction: Direction
        /// The harm that is tolerated: a ratio above 1 for crash and hang, otherwise a difference from 0.
        package var margin: Double
        /// Its part of the 0.05 that a route may spend on false stops.
        package var alphaShare: Double
        package var method: Method
        /// The value at which a unit's mean is cut; only for loadTime and hitchRatio.
        package var cap: Double?
        /// In each arm, before it may say `allowed`.
        package var minimumUnits: Int64
        /// How old data must be to count for `allowed`; a stop waits for nothing.
        package var maturitySeconds: Int64
        package var maximumDurationSeconds: Int64
        /// How long data may fail to come before that is a verdict of its own.
        package var graceSeconds: Int64
        package var action: Action
    }

    /// What was found of it last.
    package struct Judgement: Hashable, Sendable {
        package enum Verdict: String, CaseIterable, Sendable {
            case stop, allowed, inconclusive, noData, sourceError
        }
        package let verdict: Verdict
        /// Milliseconds since 1970.
        package let at: Int64
        /// What it rests on, as whoever judged gave it.
        package let numbers: JSONObject

        package init(verdict: Verdict, at: Int64, numbers: JSONObject) {
            self.verdict = verdict
            self.at = at
            self.numbers = numbers
        }
    }

    package let id: ID
    package var definition: Definition
    /// Milliseconds since 1970; nil while it is a draft.
    package var frozenAt: Int64?
    package var judgement: Judgement?

    package init(id: ID, definition: Definition, frozenAt: Int64? = nil, judgement: Judgement? = nil) {
        self.id = id
        self.definition = definition
        self.frozenAt = frozenAt
        self.judgement = judgement
    }

    package var isFrozen: Bool { frozenAt != nil }
}

extension StopCondition.ID: Comparable {
    package static func < (left: StopCondition.ID, right: StopCondition.ID) -> Bool {
        (left.route, left.key, left.version) < (right.route, right.key, right.version)
    }
}
