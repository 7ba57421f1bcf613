import FlagEvaluation

/// The hash that chains an audit entry to the one before it.
///
/// It is the SHA-256 of one canonical JSON array, so that anybody can recompute it: `[environment, sequence, epoch,
/// revision, time, actor, role, keyID, action, subject, reason, before, after, previousHash]`, without white space, and
/// with `before` and `after` as they are stored, byte for byte.
enum AuditHash {
    /// The hash before the first entry.
    static let origin = String(repeating: "0", count: 64)

    static func hash(of row: AuditRow, environment: String, using sha: inout SHA256) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(row.before.utf8.count + row.after.utf8.count + 1_024)
        bytes.append(UInt8(ascii: "["))
        func add(_ value: JSONValue) {
            value.write(to: &bytes)
            bytes.append(UInt8(ascii: ","))
        }
        add(.string(environment))
        for number in [row.sequence, row.epoch, row.revision, row.time] { add(.integer(number)) }
        for text in [row.actor, row.role, row.keyID, row.action, row.subject, row.reason] { add(.string(text)) }
        bytes.append(contentsOf: row.before.utf8)
        bytes.append(UInt8(ascii: ","))
        bytes.append(contentsOf: row.after.utf8)
        bytes.append(UInt8(ascii: ","))
        JSONValue.string(row.previousHash).write(to: &bytes)
        bytes.append(UInt8(ascii: "]"))
        return bytes.withUnsafeBytes { sha.digest(of: $0) }.hexadecimal
    }
}

/// An audit entry as its columns hold it.
struct AuditRow {
    var sequence: Int64
    var epoch: Int64
    var revision: Int64
    var time: Int64
    var actor: String
    var role: String
    var keyID: String
    var action: String
    var subject: String
    var reason: String
    /// Canonical JSON.
    var before: String
    /// Canonical JSON.
    var after: String
    var previousHash: String
    var hash = ""
}
