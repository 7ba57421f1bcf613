import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// `/v1/flags`
    mutating func addFlagEndpoints() {
        add(.get, "/v1/flags", .read, use: listFlags)
        add(.get, "/v1/flags/:key", .read, use: showFlag)
        add(.put, "/v1/flags/:key", .change, bodyLimit: 8 << 20, use: putFlag)
        add(.delete, "/v1/flags/:key", .change, use: removeFlag)
        add(.post, "/v1/flags/:key/enable", .change) { try setState(isEnabled: true, $0, $1) }
        add(.post, "/v1/flags/:key/disable", .change) { try setState(isEnabled: false, $0, $1) }
    }
}

/// Gives 200 and all ordinary flags by key.
@Sendable private func listFlags(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let flags = call.snapshot.configuration.flags.values.sorted { $0.key < $1.key }
    return .now(.json(["flags": .array(flags.map { .object($0.json) })]))
}

/// Gives 200 and the flag. Fails with 404 `flag_not_found`.
@Sendable private func showFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let key = request.parameter("key")
    guard let flag = call.snapshot.configuration.flags[key] else {
        throw RolloutError(.flagNotFound, "There is no flag \"\(key)\".")
    }
    return .now(.json(.object(flag.json)))
}

/// Takes `definition` (flagd's format) and `strict`?. Gives 201 or 200. Fails with 400 `invalid_flag`, `rule_warnings`,
/// 409 `key_taken`.
@Sendable private func putFlag(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["definition", "strict"])
    guard let definition = body.members["definition"] else {
        throw RolloutError.invalidField("/definition", "a flag in flagd's format")
    }
    let key = request.parameter("key")
    let command = Command.putFlag(
        key: key, definition: definition, isStrict: try body.members.optionalBool("strict") ?? false)
    return call.service.change(body.request(command, by: call), for: request) { $0.shown(flag: key) }
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
    return call.service.change(
        body.request(.setFlagState(key: key, isEnabled: isEnabled), by: call), for: request
    ) { $0.shown(flag: key) }
}

extension Configuration {
    /// `{"flag": …}`
    fileprivate func shown(flag key: String) -> JSONObject {
        flags[key].map { ["flag": .object($0.json)] } ?? [:]
    }
}
