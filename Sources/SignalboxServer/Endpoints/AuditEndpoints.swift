import FlagEvaluation
import HTTPServer
import Storage

extension API {
    /// `/v1/audit`
    mutating func addAuditEndpoints() {
        add(.get, "/v1/audit", .readAudit, use: listAudit)
        add(.get, "/v1/audit/verify", .readAudit, use: verifyAudit)
    }
}

/// Takes `after` (a sequence number, default 0) and `limit` (1 to 1000, default 100) from the query. Gives 200 and the
/// entries, oldest first. Fails with 400 `invalid_query`.
@Sendable private func listAudit(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let after = try number("after", 0...Int64.max, or: 0, request)
    let limit = try number("limit", 1...1_000, or: 100, request)
    let parked = request.park()
    call.service.store.auditEntries(after: after, limit: Int(limit)) { outcome in
        parked.complete(
            with: Service.response(to: outcome) { entries in
                .json(["entries": .array(entries.map { .object($0.json) })])
            })
    }
    return .later
}

/// Walks the whole audit and recomputes every hash. Gives 200 and `{"entries", "head", "fault"}`; `fault` is null when the
/// chain holds.
@Sendable private func verifyAudit(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let parked = request.park()
    call.service.store.verifyAudit { outcome in
        parked.complete(
            with: Service.response(to: outcome) { verdict in
                .json([
                    "entries": .integer(verdict.entries), "head": verdict.head.map { .string($0) } ?? .null,
                    "fault": verdict.fault.map { .string($0) } ?? .null,
                ])
            })
    }
    return .later
}

private func number(
    _ name: String, _ range: ClosedRange<Int64>, or standard: Int64, _ request: borrowing Request
) throws -> Int64 {
    guard let text = request.query(name) else { return standard }
    guard let value = Int64(text), range.contains(value) else {
        throw ServiceError(
            .invalidQuery, "\"\(name)\" must be an integer from \(range.lowerBound) to \(range.upperBound).")
    }
    return value
}

extension AuditEntry {
    /// As `/v1/audit` shows it.
    fileprivate var json: JSONObject {
        [
            "sequence": .integer(sequence), "epoch": .integer(epoch), "revision": .integer(revision),
            "at": .integer(time), "actor": .string(actor), "role": .string(role), "keyID": .string(keyID),
            "action": .string(action), "subject": .string(subject), "reason": .string(reason), "before": before,
            "after": after, "previousHash": .string(previousHash), "hash": .string(hash),
        ]
    }
}
