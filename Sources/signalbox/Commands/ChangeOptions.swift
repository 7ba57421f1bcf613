import FlagEvaluation

/// What every change takes.
struct ChangeOptions: ParameterGroup {
    @Option("Why; the audit shows it.") var reason: String
    @Option(
        "Refused at any other revision; what stops something (rollback, hold, disable, revoke) does not look at it.")
    var ifRevision: Int?

    /// The beginning of the request's body.
    var body: JSONObject {
        var body: JSONObject = ["reason": .string(reason)]
        body.set("ifRevision", ifRevision)
        return body
    }

    /// The same of a removal, which has no body.
    var query: [(String, String?)] { [("reason", reason), ("ifRevision", ifRevision.map { "\($0)" })] }
}

/// What every change that can be tried first takes.
struct TriedChangeOptions: ParameterGroup {
    let change = ChangeOptions()
    @Option("Says what would happen, and changes nothing.") var dryRun: Bool

    /// The beginning of the request's body.
    var body: JSONObject {
        var body = change.body
        if dryRun { body["dryRun"] = true }
        return body
    }
}

extension JSONObject {
    /// Sets a member when there is something to set.
    mutating func set(_ key: String, _ text: String?) {
        if let text { self[key] = .string(text) }
    }

    mutating func set(_ key: String, _ number: Int?) {
        if let number { self[key] = .integer(Int64(number)) }
    }

    mutating func set(_ key: String, _ time: Timestamp?) {
        if let time { self[key] = .integer(time.milliseconds) }
    }
}
