import FlagEvaluation
import HTTPServer
import Rollouts

extension API {
    /// Whole flag files: `/v1/flags/import` and `/v1/flags/export`
    mutating func addFlagFileEndpoints() {
        add(
            .post, "/v1/flags/import", .change,
            About("Takes in a flag file in flagd's format, as a whole or not at all")
                .changes(
                    takes: [
                        "file": .anyObject, "strict?": .boolean, "bucketing?": .words(of: Bucketing.self),
                        "reshuffle?": .boolean,
                    ],
                    shows: ["flags": .importCounts, "cohorts": .importCounts, "warnings": .list(of: .warning)],
                    tries: true
                )
                .fails(
                    .invalidFlag, .invalidCohort, .cohortCycle, .ruleWarnings, .keyTaken, .reshuffles, .cohortInLadder
                )
                .fails(.bucketingFixed),
            bodyLimit: 16 << 20, use: importFlags)
        add(
            .get, "/v1/flags/export", .read,
            About("All flags as one file in flagd's format")
                .takes(query: "bucketing", .words(of: Bucketing.self))
                .takes(query: "routes", .boolean).gives(.anyObject).fails(.bucketingMixed),
            use: exportFlags)
    }
}

extension Schema {
    fileprivate static let importCounts = Schema.named(
        "ImportCounts",
        ["created": .integer, "changed": .integer, "unchanged": .integer, "changedKeys": .list(of: .string)])
}

/// Takes a file in flagd's format as `file`, with `strict`?, `bucketing`?, `reshuffle`?. Gives 200 and how many flags and
/// cohorts are new, changed and as they were. Fails with 400 `invalid_flag`, `invalid_cohort`, `cohort_cycle`,
/// `rule_warnings`, 409 `key_taken`, `bucketing_fixed`, `reshuffles`. All or nothing.
@Sendable private func importFlags(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: ["file", "strict", "bucketing", "reshuffle"])
    guard let file = body.members["file"] else {
        throw RolloutError.invalidField("/file", "a flag file in flagd's format")
    }
    let command = Command.importFlags(
        file: file, isStrict: try body.members.optionalBool("strict") ?? false,
        bucketing: try body.members.optionalWord("bucketing"),
        allowsReshuffle: try body.members.optionalBool("reshuffle") ?? false)
    return try call.service.perform(body.request(command, by: call), for: request) { applied in
        [
            "flags": .object(ImportCounts(of: "flags", in: file, audit: applied.audit).json),
            "cohorts": .object(ImportCounts(of: "cohorts", in: file, audit: applied.audit).json),
            "warnings": .objects(warnings(of: file, in: applied.configuration)),
        ]
    }
}

/// What is doubtful about the flags of a file that has been taken in; paths begin at the file.
private func warnings(of file: JSONValue, in configuration: Configuration) -> [JSONObject] {
    let keys = file["flags"]?.object?.keys ?? file["flags"]?.array?.compactMap { $0["key"]?.string } ?? []
    return keys.flatMap { key in
        (configuration.flags[key]?.warnings ?? []).map { warning in
            FlagWarning(path: pointer(to: key, in: "/flags") + warning.path, code: warning.code).json
        }
    }
}

/// Takes `bucketing` (v2 unless it is named) and `routes=true` from the query. Gives 200 and the file. Fails with 409
/// `bucketing_mixed`, 400 `invalid_query`.
@Sendable private func exportFlags(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let text = request.query("bucketing") ?? Bucketing.v2.rawValue
    guard let bucketing = Bucketing(rawValue: text) else {
        throw ServiceError(.invalidQuery, "\"bucketing\" is v2 or v3.")
    }
    let withRoutes = try request.flag("routes") ?? false
    return .now(.json(.object(try call.snapshot.configuration.flagFile(bucketing, withRoutes: withRoutes))))
}
