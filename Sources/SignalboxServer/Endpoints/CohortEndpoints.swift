import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/cohorts`
    mutating func addCohortEndpoints() {
        add(
            .get, "/v1/cohorts", .read,
            About("All cohorts").gives(Schema.standing.with(["cohorts": .list(of: .cohort)])), use: listCohorts)
        add(
            .get, "/v1/cohorts/:key", .read,
            About("One cohort").gives(Schema.cohort.with(.standing)).fails(.cohortNotFound), use: showCohort)
        add(
            .put, "/v1/cohorts/:key", .change,
            About("Creates or replaces a cohort")
                .changes(
                    takes: ["rule": .any, "strict?": .boolean, "force?": .boolean], shows: ["cohort": .cohort],
                    creates: true, tries: true
                ).fails(.invalidKey, .invalidCohort, .cohortCycle, .ruleWarnings, .cohortInLadder),
            bodyLimit: 1 << 20, use: putCohort)
        add(
            .delete, "/v1/cohorts/:key", .change,
            About("Removes a cohort that nothing names").removes().takes(query: "dryRun", .boolean).fails(
                .cohortNotFound, .cohortInUse
            ),
            use: removeCohort)
    }
}

extension Schema {
    fileprivate static let cohort = Schema.named(
        "Cohort", ["key": .key, "rule": .any, "warnings": .list(of: .warning)])
}

/// Gives 200 and all cohorts by key.
@Sendable private func listCohorts(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let cohorts = configuration.cohorts.values.sorted { $0.key < $1.key }
    return configuration.reply(["cohorts": .objects(cohorts.map { configuration.shown($0) })])
}

/// Gives 200 and the cohort. Fails with 404 `cohort_not_found`.
@Sendable private func showCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    return configuration.reply(configuration.shown(try configuration.cohort(request.parameter("key"))))
}

/// Takes `rule` (JsonLogic), `strict`? and `force`?. Gives 201 or 200. Fails with 400 `invalid_cohort`, `cohort_cycle`,
/// `rule_warnings`, 409 `cohort_in_ladder`, 403 `not_allowed`.
@Sendable private func putCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: ["rule", "strict", "force"])
    guard let rule = body.members["rule"] else { throw RolloutError.invalidField("/rule", "a JsonLogic rule") }
    let key = request.parameter("key")
    let command = Command.putCohort(
        key: key, rule: rule, isStrict: try body.members.optionalBool("strict") ?? false,
        isForced: try body.members.optionalBool("force") ?? false)
    return try call.service.change(body.request(command, by: call), for: request) { configuration in
        configuration.cohorts[key].map { ["cohort": .object(configuration.shown($0))] } ?? [:]
    }
}

/// Takes the reason, and perhaps `dryRun=true`, from the query. Gives 200. Fails with 404 `cohort_not_found`, 409
/// `cohort_in_use`.
@Sendable private func removeCohort(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let isDryRun = try request.flag("dryRun") ?? false
    return try remove(.removeCohort(key: request.parameter("key")), isDryRun: isDryRun, request, call)
}

/// Removes something for the reason in the query.
func remove(
    _ command: Command, isDryRun: Bool = false, _ request: borrowing Request, _ call: borrowing Call
) throws -> Reply {
    let change = ChangeRequest(
        command: command, actor: call.principal.actor, reason: request.query("reason") ?? "", now: call.now,
        isDryRun: isDryRun, expected: try ExpectedRevision(request))
    return call.service.change(change, for: request) { _ in [:] }
}

extension Configuration {
    /// A cohort with what in its rule will not do what it looks like.
    fileprivate func shown(_ cohort: Cohort) -> JSONObject {
        var json = cohort.json
        json["warnings"] = .objects(((try? warnings(ofCohort: cohort.key)) ?? []).map(\.json))
        return json
    }
}
