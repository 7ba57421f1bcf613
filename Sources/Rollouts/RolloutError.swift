import FlagEvaluation

/// Why a command was refused. Nothing has changed.
package struct RolloutError: Error, Hashable, Sendable {
    /// Stable; a released code never changes meaning.
    package enum Code: String, CaseIterable, Sendable {
        // What was named does not exist.
        case flowNotFound = "flow_not_found"
        case routeNotFound = "route_not_found"
        case flagNotFound = "flag_not_found"
        case cohortNotFound = "cohort_not_found"
        case buildNotFound = "build_not_found"
        case keyNotFound = "key_not_found"
        case conditionNotFound = "condition_not_found"
        case waiverNotFound = "waiver_not_found"
        case evidenceNotFound = "evidence_not_found"
        /// There is no scoped rollback of that id.
        case scopeNotFound = "scope_not_found"
        // What is to be made exists already, with other content.
        case flowExists = "flow_exists"
        case routeExists = "route_exists"
        case buildExists = "build_exists"
        case keyExists = "key_exists"
        /// The key is revoked or expired.
        case keyEnded = "key_ended"
        /// Flags and routes share one namespace.
        case keyTaken = "key_taken"
        // What was sent is not acceptable.
        case invalidKey = "invalid_key"
        case invalidField = "invalid_field"
        case unknownField = "unknown_field"
        case reasonRequired = "reason_required"
        case invalidLifetime = "invalid_lifetime"
        /// The definition's structure is wrong; details say where.
        case invalidFlag = "invalid_flag"
        case invalidCohort = "invalid_cohort"
        /// Strict was asked for, and the rule will not do what it looks like.
        case ruleWarnings = "rule_warnings"
        case invalidPlan = "invalid_plan"
        case invalidShare = "invalid_share"
        /// What limits a rollback cannot be read.
        case invalidScope = "invalid_scope"
        /// No registered build, or no version at all, lies in what limits a rollback.
        case scopeMatchesNothing = "scope_matches_nothing"
        case tooManyScopes = "too_many_scopes"
        /// A step or an edit would take migrated away from units that have it.
        case planShrinks = "plan_shrinks"
        /// An edit would give migrated to more units at the step that decides now; only `advance` widens.
        case planWidens = "plan_widens"
        case requiresCycle = "requires_cycle"
        case cohortCycle = "cohort_cycle"
        case cohortInUse = "cohort_in_use"
        /// The cohort decides in a ladder now: another rule would widen it past its gates, or narrow it in silence.
        case cohortInLadder = "cohort_in_ladder"
        /// An override would not decide anything where the route stands.
        case overrideNotAllowed = "override_not_allowed"
        // Bucketing.
        /// An edit reorders a split or changes what its weights add up to, which moves units that nobody meant to move.
        case reshuffles
        /// A flag keeps the generation of bucketing that it was made with.
        case bucketingFixed = "bucketing_fixed"
        /// An export holds flags of one generation only.
        case bucketingMixed = "bucketing_mixed"
        /// A build claims legacy for a route although an older build no longer contained it.
        case rendererDeleted = "renderer_deleted"
        /// Nothing shows that both renderers accept a saved route of this contract.
        case restoreNotProven = "restore_not_proven"
        // Conditions, waivers, evidence.
        /// A frozen condition is not taken away or changed; another version may be written.
        case conditionFrozen = "condition_frozen"
        /// The conditions of a route may together not spend more than 0.05 on false stops.
        case alphaExceeded = "alpha_exceeded"
        /// There are as many as there may be.
        case tooMany = "too_many"
        /// The gate is hard, or no gate.
        case waiverNotAllowed = "waiver_not_allowed"
        /// A stop is not cleared up: its cause must be named first.
        case routeLocked = "route_locked"
        /// The artefact is not what its kind says, or not whole.
        case artefactInvalid = "artefact_invalid"
        case artefactTooLarge = "artefact_too_large"
        /// The bytes of an artefact that counts no more were let go.
        case artefactGone = "artefact_gone"
        /// The evidence is of another contract than the one that is registered.
        case contractMismatch = "contract_mismatch"
        /// Artefacts that still count fill all the room that there is.
        case evidenceFull = "evidence_full"
        // The move is not possible now.
        case illegalMove = "illegal_move"
        case gateNotMet = "gate_not_met"
        case causeRequired = "cause_required"
        case stepNotHealthy = "step_not_healthy"
        case notAllowed = "not_allowed"
        // A document of a whole environment.
        case invalidDocument = "invalid_document"
        /// It was edited from a revision that nothing leads back to.
        case documentBaseUnknown = "document_base_unknown"
        /// What it changes was changed by others too.
        case documentConflict = "document_conflict"
        /// A flow has another id, or a route another flow.
        case flowMismatch = "flow_mismatch"
        /// It lacks routes that have journeys in flight.
        case routesInFlight = "routes_in_flight"
        /// It lacks what is never removed.
        case removalNotPossible = "removal_not_possible"
        case lastAdminKey = "last_admin_key"
        case revisionExhausted = "revision_exhausted"
        /// The change was meant for another revision; details say where the environment stands.
        case revisionChanged = "revision_changed"
    }
    package let code: Code
    /// For people; never parsed.
    package let message: String
    /// What a program needs to react, by code.
    package let details: JSONValue

    package init(_ code: Code, _ message: String, details: JSONValue = .null) {
        self.code = code
        self.message = message
        self.details = details
    }
}
