import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/flags`
    mutating func addFlagEndpoints() {
        add(
            .get, "/v1/flags", .read,
            About("All ordinary flags").gives(Schema.standing.with(["flags": .list(of: .flag)])), use: listFlags)
        add(
            .get, "/v1/flags/:key", .read,
            About("One ordinary flag").gives(Schema.flag.with(.standing)).fails(.flagNotFound), use: showFlag)
        add(
            .put, "/v1/flags/:key", .change,
            About("Creates or replaces a flag in flagd's format")
                .changes(
                    takes: [
                        "definition": .anyObject, "strict?": .boolean,
                        "bucketing?": .words(of: Bucketing.self), "reshuffle?": .boolean,
                    ], shows: ["flag": .flag], creates: true, tries: true
                )
                .fails(.invalidKey, .invalidFlag, .ruleWarnings, .keyTaken, .reshuffles, .bucketingFixed),
            bodyLimit: 8 << 20, use: putFlag)
        add(
            .delete, "/v1/flags/:key", .change, About("Removes a flag").removes().fails(.flagNotFound),
            use: removeFlag)
        let switching = About("Switches a flag on or off").changes(shows: ["flag": .flag]).fails(.flagNotFound)
        add(.post, "/v1/flags/:key/enable", .change, switching) { try setState(isEnabled: true, $0, $1) }
        add(.post, "/v1/flags/:key/disable", .change, switching.stops()) { try setState(isEnabled: false, $0, $1) }
    }
}

extension Schema {
    fileprivate static let flag = Schema.named(
        "Flag",
        [
            "key": .key, "bucketing": .words(of: Bucketing.self), "definition": .anyObject,
            "warnings": .list(of: .warning),
        ])
}

/// Gives 200 and all ordinary flags by key.
@Sendable private func listFlags(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let flags = configuration.flags.values.sorted { $0.key < $1.key }
    return configuration.reply(["flags": .objects(flags.map(\.json))])
}

/// Gives 200 and the flag. Fails with 404 `flag_not_found`.
@Sendable private func showFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    return configuration.reply(try configuration.flag(request.parameter("key")).json)
}

/// Takes `definition` (flagd's format), `strict`?, `bucketing`? (of a new flag), `reshuffle`?. Gives 201 or 200. Fails with
/// 400 `invalid_flag`, `rule_warnings`, 409 `key_taken`, `bucketing_fixed`, `reshuffles`.
@Sendable private func putFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: ["definition", "strict", "bucketing", "reshuffle"])
    guard let definition = body.members["definition"] else {
        throw RolloutError.invalidField("/definition", "a flag in flagd's format")
    }
    let key = request.parameter("key")
    let command = Command.putFlag(
        key: key, definition: definition, isStrict: try body.members.optionalBool("strict") ?? false,
        bucketing: try body.members.optionalWord("bucketing"),
        allowsReshuffle: try body.members.optionalBool("reshuffle") ?? false)
    return try call.service.change(body.request(command, by: call), for: request) { $0.shown(flag: key) }
}

/// Takes the reason from the query. Gives 200. Fails with 404 `flag_not_found`.
@Sendable private func removeFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    try remove(.removeFlag(key: request.parameter("key")), request, call)
}

/// Gives 200. Fails with 404 `flag_not_found`.
private func setState(
    isEnabled: Bool, _ request: borrowing Request, _ call: borrowing Call
) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: [])
    let key = request.parameter("key")
    return try call.service.change(
        body.request(.setFlagState(key: key, isEnabled: isEnabled), by: call), for: request
    ) { $0.shown(flag: key) }
}

extension Configuration {
    /// `{"flag": …}`
    fileprivate func shown(flag key: String) -> JSONObject {
        flags[key].map { ["flag": .object($0.json)] } ?? [:]
    }
}
