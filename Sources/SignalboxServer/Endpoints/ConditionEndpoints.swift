import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/routes/{key}/conditions`
    mutating func addConditionEndpoints() {
        add(
            .get, "/v1/routes/:key/conditions", .read,
            About("The stop conditions of a route, all versions").gives(
                Schema.standing.with(["conditions": .list(of: .condition)])
            )
            .fails(.routeNotFound),
            use: listConditions)
        add(
            .get, "/v1/routes/:key/conditions/:condition", .read,
            About("One stop condition, all its versions").gives(
                Schema.standing.with(["conditions": .list(of: .condition)])
            )
            .fails(.routeNotFound, .conditionNotFound),
            use: showCondition)
        add(
            .put, "/v1/routes/:key/conditions/:condition", .change,
            About("Writes the draft of a stop condition; of a frozen one its next version")
                .changes(
                    takes: .conditionFields, shows: ["condition?": .condition], creates: true, tries: true
                ).fails(.routeNotFound, .invalidKey, .alphaExceeded, .tooMany, .routeLocked),
            use: putCondition)
        add(
            .post, "/v1/routes/:key/conditions/freeze", .change,
            About("Freezes the drafts of a route, or one of them")
                .changes(takes: ["condition?": .string.orNull], shows: ["conditions": .list(of: .condition)])
                .fails(.routeNotFound, .conditionNotFound, .routeLocked),
            use: freezeConditions)
        add(
            .delete, "/v1/routes/:key/conditions/:condition", .change,
            About("Takes a draft away").removes().fails(.routeNotFound, .conditionNotFound, .conditionFrozen),
            use: removeCondition)
    }
}

extension Schema {
    fileprivate static let method = Schema.named(
        "ConditionMethod",
        [
            "test": .words(of: StopCondition.Method.Test.self), "grid?": .list(of: number), "plannedUnits?": .integer,
            "concentration?": number,
        ])
    fileprivate static let conditionFields: Schema = [
        "metric": .words(of: StopCondition.Metric.self),
        "unit?": Schema.words(of: StopCondition.Unit.self).orNull,
        "direction?": Schema.words(of: StopCondition.Direction.self).orNull, "margin?": number.orNull,
        "alphaShare": number, "method?": method.orNull, "cap?": number.orNull, "minimumUnits?": .integer.orNull,
        "maturitySeconds?": .integer.orNull, "maximumDurationSeconds?": .integer.orNull,
        "graceSeconds?": .integer.orNull, "action": .words(of: StopCondition.Action.self),
    ]
    fileprivate static let condition = Schema.named(
        "StopCondition",
        [
            "route": .key, "key": .key, "version": .integer, "metric": .words(of: StopCondition.Metric.self),
            "unit": .words(of: StopCondition.Unit.self), "direction": .words(of: StopCondition.Direction.self),
            "margin": number, "alphaShare": number, "method": method, "cap?": number, "minimumUnits": .integer,
            "maturitySeconds": .integer, "maximumDurationSeconds": .integer, "graceSeconds": .integer,
            "action": .words(of: StopCondition.Action.self), "hash": .string, "frozenAt": .time.orNull,
            "judgement": Schema.named(
                "Judgement",
                [
                    "verdict": .words(of: StopCondition.Judgement.Verdict.self), "at": .time, "numbers": .anyObject,
                ]
            ).orNull,
            "inForce": .boolean,
        ])
}

/// Gives 200 and all versions by key. Fails with 404 `route_not_found`.
@Sendable private func listConditions(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    return configuration.reply(["conditions": .objects(configuration.shownConditions(of: route.key))])
}

/// Gives 200 and all versions of one. Fails with 404 `route_not_found`, `condition_not_found`.
@Sendable private func showCondition(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let route = try configuration.route(request.parameter("key"))
    let key = request.parameter("condition")
    let shown = configuration.shownConditions(of: route.key, key)
    guard !shown.isEmpty else {
        throw RolloutError(.conditionNotFound, "\"\(route.key)\" has no stop condition \"\(key)\".")
    }
    return configuration.reply(["conditions": .objects(shown)])
}

/// Takes the definition's members. Gives 201 for a version that is new, else 200. Fails with 404 `route_not_found`, 400
/// `invalid_field`, 409 `alpha_exceeded`, `too_many`, `route_locked`.
@Sendable private func putCondition(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    let (route, key) = (request.parameter("key"), request.parameter("condition"))
    let definition = try StopCondition.Definition(json: body.members, besides: body.common)
    let command = Command.putCondition(route: route, key: key, definition)
    return try call.service.change(body.request(command, by: call), for: request) { configuration in
        configuration.shownConditions(of: route, key).last.map { ["condition": .object($0)] } ?? [:]
    }
}

/// Takes `condition`?. Gives 200 and the conditions of the route. Fails with 404 `route_not_found`, `condition_not_found`,
/// 409 `route_locked`.
@Sendable private func freezeConditions(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["condition"])
    let route = request.parameter("key")
    let command = Command.freezeConditions(route: route, key: try body.members.optionalString("condition"))
    return try call.service.change(body.request(command, by: call), for: request) {
        ["conditions": .objects($0.shownConditions(of: route))]
    }
}

/// Gives 200. Fails with 404 `route_not_found`, `condition_not_found`, 409 `condition_frozen`.
@Sendable private func removeCondition(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    try remove(.removeCondition(route: request.parameter("key"), key: request.parameter("condition")), request, call)
}

extension Configuration {
    /// The versions of a route's conditions, or of one of them, each with whether the route is watched by it.
    fileprivate func shownConditions(of route: String, _ key: String? = nil) -> [JSONObject] {
        let watching = Set(conditionsInForce(of: route).map(\.id))
        return conditions(of: route).filter { key == nil || $0.id.key == key }.map { condition in
            var json = condition.json
            json["inForce"] = .bool(watching.contains(condition.id))
            return json
        }
    }
}
