import FlagEvaluation

/// What the service itself refuses, besides what the rules of rollouts and the store refuse.
package struct ServiceError: Error, Sendable {
    /// Stable: a released code never changes meaning.
    package enum Code: String, CaseIterable, Sendable {
        case unauthorized
        case forbidden
        /// The body is not acceptable JSON; details say where.
        case invalidJSON = "invalid_json"
        case bodyRequired = "body_required"
        case invalidJourneyID = "invalid_journey_id"
        /// The id's time is too old or too far ahead; details carry the server's time.
        case journeyIDOutOfWindow = "journey_id_out_of_window"
        case journeyNotFound = "journey_not_found"
        /// The id belongs to another flow, unit or app.
        case journeyMismatch = "journey_mismatch"
        case outcomeConflict = "outcome_conflict"
        /// The journey's lifetime is over: it cannot go on.
        case journeyExpired = "journey_expired"
        /// Too many journeys were started from one another.
        case journeyTooDeep = "journey_too_deep"
        /// The journey was resumed too often with another result.
        case tooManySegments = "too_many_segments"
        case invalidBuild = "invalid_build"
        case invalidContext = "invalid_context"
        case invalidQuery = "invalid_query"
        case flowHasNoRoutes = "flow_has_no_routes"
        /// Details carry the seconds to wait, which the header Retry-After says too.
        case rateLimited = "rate_limited"
        /// It may or may not have been stored; ask what stands.
        case outcomeUnknown = "outcome_unknown"
        case internalFault = "internal_fault"
    }
    package let code: Code
    package let message: String
    package let details: JSONValue

    package init(_ code: Code, _ message: String, details: JSONValue = .null) {
        self.code = code
        self.message = message
        self.details = details
    }
}
