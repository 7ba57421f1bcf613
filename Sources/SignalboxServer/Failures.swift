import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

/// The one place in which errors of all modules become answers.
enum Failures {
    /// `{"error": {"code", "message", "details"}}` with the status that belongs to the code.
    static func response(for error: any Error) -> Response {
        switch error {
        case let error as ServiceError:
            response(status(error.code), error.code.rawValue, error.message, error.details)
        case let error as RolloutError:
            response(status(error.code), error.code.rawValue, error.message, error.details)
        case let error as StoreError:
            response(status(error.code), error.code.rawValue, error.message, .null)
        case let error as JSONError:
            response(
                400, ServiceError.Code.invalidJSON.rawValue, error.message,
                ["fault": .string(error.code.rawValue), "offset": .integer(Int64(error.offset))])
        default:
            response(500, ServiceError.Code.internalFault.rawValue, "The service failed; its log says more.", .null)
        }
    }

    /// An error of the transport, in the same shape.
    static func response(_ status: Int, _ code: String, _ message: String, _ details: JSONValue = .null) -> Response {
        var error: JSONObject = ["code": .string(code), "message": .string(message)]
        if !details.isNull { error["details"] = details }
        return .json(["error": .object(error)], status: status)
    }

    private static func status(_ code: ServiceError.Code) -> Int {
        switch code {
        case .unauthorized: 401
        case .forbidden: 403
        case .journeyNotFound: 404
        case .journeyMismatch, .outcomeConflict, .flowHasNoRoutes: 409
        case .invalidJSON, .bodyRequired, .invalidJourneyID, .journeyIDOutOfWindow, .invalidBuild, .invalidContext,
            .invalidQuery:
            400
        case .outcomeUnknown, .notReady: 503
        case .internalFault: 500
        }
    }

    private static func status(_ code: RolloutError.Code) -> Int {
        switch code {
        case .flowNotFound, .routeNotFound, .flagNotFound, .cohortNotFound, .buildNotFound, .keyNotFound: 404
        case .flowExists, .routeExists, .buildExists, .keyExists, .keyTaken, .planShrinks, .planWidens, .cohortInUse,
            .rendererDeleted, .illegalMove, .gateNotMet, .causeRequired, .stepNotHealthy, .lastAdminKey,
            .revisionExhausted:
            409
        case .invalidKey, .invalidField, .unknownField, .reasonRequired, .invalidLifetime, .invalidFlag, .invalidCohort,
            .ruleWarnings, .invalidPlan, .invalidShare, .requiresCycle, .cohortCycle:
            400
        case .notAllowed: 403
        }
    }

    private static func status(_ code: StoreError.Code) -> Int {
        switch code {
        case .busy, .locked, .notADatabase, .newerSchema, .readOnly, .directoryMissing, .corrupt, .migrationChanged,
            .migrationFailed, .writesStopped, .foreignWriter, .overloaded, .readTooLong, .closed, .damagedRow,
            .failed:
            503
        case .diskFull: 507
        }
    }
}
