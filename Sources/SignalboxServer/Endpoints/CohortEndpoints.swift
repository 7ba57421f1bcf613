import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/cohorts`
    mutating func addCohortEndpoints() {
        add(.get, "/v1/cohorts", .read, use: listCohorts)
        add(.get, "/v1/cohorts/:key", .read, use: showCohort)
        add(.put, "/v1/cohorts/:key", .change, bodyLimit: 1 << 20, use: putCohort)
        add(.delete, "/v1/cohorts/:key", .change, use: removeCohort)
    }
}

/// Gives 200 and all cohorts by key.
@Sendable private func listCohorts(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let cohorts = call.snapshot.configuration.cohorts.values.sorted { $0.key < $1.key }
    return .now(.json(["cohorts": .array(cohorts.map { .object($0.json) })]))
}

/// Gives 200 and the cohort. Fails with 404 `cohort_not_found`.
@Sendable private func showCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let key = request.parameter("key")
    guard let cohort = call.snapshot.configuration.cohorts[key] else {
        throw RolloutError(.cohortNotFound, "There is no cohort \"\(key)\".")
    }
    return .now(.json(.object(cohort.json)))
}

/// Takes `rule` (JsonLogic) and `strict`?. Gives 201 or 200. Fails with 400 `invalid_cohort`, `cohort_cycle`,
/// `rule_warnings`.
@Sendable private func putCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["rule", "strict"])
    guard let rule = body.members["rule"] else { throw RolloutError.invalidField("/rule", "a JsonLogic rule") }
    let key = request.parameter("key")
    let command = Command.putCohort(key: key, rule: rule, isStrict: try body.members.optionalBool("strict") ?? false)
    return call.service.change(body.request(command, by: call), for: request) { configuration in
        configuration.cohorts[key].map { ["cohort": .object($0.json)] } ?? [:]
    }
}

/// Takes the reason from the query. Gives 200. Fails with 404 `cohort_not_found`, 409 `cohort_in_use`.
@Sendable private func removeCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    try remove(.removeCohort(key: request.parameter("key")), request, call)
}

/// Removes something for the reason in the query.
func remove(_ command: Command, _ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let change = ChangeRequest(
        command: command, actor: call.principal.actor, reason: try ChangeBody.checked(request.query("reason")),
        now: call.now)
    return call.service.change(change, for: request) { _ in [:] }
}
