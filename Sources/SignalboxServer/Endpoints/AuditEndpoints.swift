import FlagEvaluation
import HTTPServer
import Storage

extension API {
    /// `/v1/audit`
    mutating func addAuditEndpoints() {
        add(
            .get, "/v1/audit", .readAudit,
            About("Entries of the audit, oldest first").takes(query: "after", .integer(0...Int64.max))
                .takes(query: "limit", .integer(1...1_000)).takes(query: "last", .integer(1...1_000))
                .takes(query: "subject", .string).gives(["entries": .list(of: .auditEntry)]).usesStore(),
            use: listAudit)
        add(
            .get, "/v1/audit/verify", .readAudit,
            About("Recomputes every hash of the audit and compares it with the anchor")
                .gives(["entries": .integer, "head": .string.orNull, "fault": .string.orNull]).usesStore(),
            use: verifyAudit)
    }
}

/// Takes from the query `after` (a sequence number, default 0) and `limit` (1 to 1000, default 100), or `last` (1 to 1000)
/// for the newest entries, and `subject` for those of one subject. Gives 200 and the entries, oldest first: fewer than
/// asked for when they are large, none only at the end. Fails with 400
/// `invalid_query`.
@Sendable private func listAudit(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let after = try request.number("after", 0...Int64.max) ?? 0
    let limit = try request.number("limit", 1...1_000) ?? 100
    let isNewest = request.query("last") != nil
    guard !isNewest || (request.query("after") == nil && request.query("limit") == nil) else {
        throw ServiceError(.invalidQuery, "\"last\" goes without \"after\" and \"limit\".")
    }
    let last = try request.number("last", 1...1_000) ?? 100
    let page: AuditPage = isNewest ? .before(.max, limit: Int(last)) : .after(after, limit: Int(limit))
    let subject = request.query("subject")
    let service = call.service
    let parked = request.park()
    service.store.auditEntries(page, of: subject) { outcome in
        parked.complete(
            with: service.response(to: outcome) { entries in
                Response(status: 200, body: body(of: entries))
            })
    }
    return .later
}

/// Walks the whole audit, recomputes every hash and compares it with the anchor. Gives 200 and `{"entries", "head",
/// "fault"}`; `fault` is null when the chain holds and is as anchored.
@Sendable private func verifyAudit(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let service = call.service
    let parked = request.park()
    service.store.verifyAuditAndAnchor { outcome in
        parked.complete(
            with: service.response(to: outcome) { verdict in
                .json([
                    "entries": .integer(verdict.entries), "head": verdict.head.map { .string($0) } ?? .null,
                    "fault": verdict.fault.map { .string($0) } ?? .null,
                ])
            })
    }
    return .later
}

private func body(of entries: [AuditEntry]) -> [UInt8] {
    var body = Array(#"{"entries":["#.utf8)
    for (index, entry) in entries.enumerated() {
        if index > 0 { body.append(UInt8(ascii: ",")) }
        entry.write(to: &body)
    }
    body.append(contentsOf: "]}".utf8)
    return body
}

extension Schema {
    fileprivate static let auditEntry = Schema.named(
        "AuditEntry",
        [
            "sequence": .integer, "epoch": .integer, "revision": .integer, "at": .time, "actor": .string,
            "role": .string,
            "keyID": .string, "action": .string, "subject": .string, "reason": .string, "before": .any, "after": .any,
            "previousHash": .string, "hash": .string,
        ])
}

extension AuditEntry {
    /// As `/v1/audit` shows it, with what was stored before and after as it is stored.
    fileprivate func write(to body: inout [UInt8]) {
        let members: JSONObject = [
            "sequence": .integer(sequence), "epoch": .integer(epoch), "revision": .integer(revision),
            "at": .integer(time), "actor": .string(actor), "role": .string(role), "keyID": .string(keyID),
            "action": .string(action), "subject": .string(subject), "reason": .string(reason),
            "previousHash": .string(previousHash), "hash": .string(hash),
        ]
        JSONValue.object(members).write(to: &body)
        body.removeLast()
        for (name, text) in [(#","before":"#, beforeText), (#","after":"#, afterText)] {
            body.append(contentsOf: name.utf8)
            body.append(contentsOf: text.utf8)
        }
        body.append(UInt8(ascii: "}"))
    }
}
