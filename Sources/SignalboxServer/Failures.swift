import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

/// The one place in which errors of all modules become answers.
enum Failures {
    /// The same, and a line to `report` when the answer hides what the error is.
    static func response(for error: any Error, reportingTo report: (String) -> Void) -> Response {
        let response = response(for: error)
        if response.status == 500 {
            report("\(ServiceError.Code.internalFault.rawValue): \(type(of: error))")
        }
        return response
    }

    /// `{"error": {"code", "message", "details"}}` with the status that belongs to the code.
    static func response(for error: any Error) -> Response {
        switch error {
        case let error as ServiceError where error.code == .unauthorized:
            // Source: RFC 9110, 11.6.1.
            response(401, error.code.rawValue, error.message).addingHeader("WWW-Authenticate", "Bearer")
        case let error as ServiceError:
            retrying(
                response(status(error.code), error.code.rawValue, error.message, error.details), after: error)
        case let error as RolloutError:
            response(status(error.code), error.code.rawValue, error.message, error.details)
        case let error as StoreError:
            response(status(error.code), error.code.rawValue, error.message, .null)
        case let error as JSONError:
            response(
                400, ServiceError.Code.invalidJSON.rawValue, error.message,
                ["fault": .string(error.code.rawValue), "offset": .integer(Int64(error.offset))])
        default:
            internalFault(error)
        }
    }

    /// An error of the transport, in the same shape.
    static func response(_ status: Int, _ code: String, _ message: String, _ details: JSONValue = .null) -> Response {
        var error: JSONObject = ["code": .string(code), "message": .string(message)]
        if !details.isNull { error["details"] = details }
        var response = Response.json(["error": .object(error)], status: status)
        if status >= 500 { response.note = code }
        return response
    }

    /// An error that no module documents. The log gets its type alone: its text may hold what was sent.
    private static func internalFault(_ error: any Error) -> Response {
        let code = ServiceError.Code.internalFault.rawValue
        var response = response(500, code, "The service failed; its log says more.")
        response.note = "\(code) \(type(of: error))"
        return response
    }

    private static func retrying(_ response: Response, after error: ServiceError) -> Response {
        guard let seconds = error.details["retryAfterSeconds"]?.integer else { return response }
        return response.addingHeader("Retry-After", "\(seconds)")
    }

    static func status(_ code: ServiceError.Code) -> Int {
        switch code {
        case .unauthorized: 401
        case .forbidden: 403
        case .journeyNotFound: 404
        case .journeyMismatch, .outcomeConflict, .flowHasNoRoutes, .journeyExpired, .journeyTooDeep, .tooManySegments:
            409
        case .invalidJSON, .bodyRequired, .invalidJourneyID, .journeyIDOutOfWindow, .invalidBuild, .invalidContext,
            .invalidQuery:
            400
        case .rateLimited: 429
        case .outcomeUnknown: 503
        case .internalFault: 500
        }
    }

    static func status(_ code: RolloutError.Code) -> Int {
        switch code {
        case .flowNotFound, .routeNotFound, .flagNotFound, .cohortNotFound, .buildNotFound, .keyNotFound,
            .conditionNotFound, .waiverNotFound, .evidenceNotFound, .scopeNotFound:
            404
        case .artefactGone: 410
        case .artefactTooLarge: 413
        case .conditionFrozen, .alphaExceeded, .tooMany, .waiverNotAllowed, .routeLocked, .contractMismatch,
            .evidenceFull:
            409
        case .artefactInvalid, .invalidDocument: 400
        case .documentBaseUnknown, .documentConflict, .flowMismatch, .routesInFlight, .removalNotPossible: 409
        case .overrideNotAllowed, .reshuffles, .bucketingFixed, .bucketingMixed, .flowExists, .routeExists,
            .buildExists, .keyExists, .keyEnded, .keyTaken, .planShrinks, .planWidens, .cohortInUse, .cohortInLadder,
            .rendererDeleted, .restoreNotProven, .illegalMove, .gateNotMet, .causeRequired, .stepNotHealthy,
            .lastAdminKey,
            .revisionExhausted, .revisionChanged, .scopeMatchesNothing, .tooManyScopes:
            409
        case .invalidKey, .invalidField, .unknownField, .reasonRequired, .invalidLifetime, .invalidFlag, .invalidCohort,
            .ruleWarnings, .invalidPlan, .invalidShare, .invalidScope, .requiresCycle, .cohortCycle:
            400
        case .notAllowed: 403
        }
    }

    static func status(_ code: StoreError.Code) -> Int {
        switch code {
        case .busy, .locked, .notADatabase, .newerSchema, .readOnly, .directoryMissing, .corrupt, .migrationChanged,
            .auditCut,
            .migrationFailed, .writesStopped, .foreignWriter, .overloaded, .readTooLong, .closed, .damagedRow,
            .failed:
            503
        case .exists: 409
        case .diskFull: 507
        }
    }
}
