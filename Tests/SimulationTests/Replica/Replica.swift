import FlagEvaluation
import Rollouts
import Storage

/// An environment that knows nothing but the audit, from its first entry on.
struct Replica {
    private(set) var things: Things = Configuration(environment: "", epoch: 1, revision: 0).things
    private(set) var sequence: Int64 = 0
    private(set) var revision: Int64 = 0

    /// Does what the entry tells. Fails when it does not follow, or tells of another past than this one's.
    mutating func follow(_ entry: AuditEntry) throws {
        let isEvidence = entry.action == "evidence.push"
        guard entry.sequence == sequence + 1, entry.revision == revision + (isEvidence ? 0 : 1) else {
            throw Untold("entry \(entry.sequence) at revision \(entry.revision) follows \(sequence) at \(revision)")
        }
        (sequence, revision) = (entry.sequence, entry.revision)
        do {
            if try !switchFlag(entry) { try change(entry) }
        } catch {
            throw Untold("entry \(entry.sequence), \(entry.action) of \(entry.subject): \(error)")
        }
    }

    /// Takes away what stood before, puts what stands after.
    private mutating func change(_ entry: AuditEntry) throws {
        let before = try AuditedThings(of: entry.subject, in: entry.before).things
        let after = try AuditedThings(of: entry.subject, in: entry.after).things
        for name in Set(before.keys).union(after.keys).sorted() {
            guard things[name] == before[name] else {
                throw Untold("\(name) stood as \(things[name] ?? "nothing"), not as \(before[name] ?? "nothing")")
            }
            things[name] = after[name]
        }
    }

    /// A flag that was enabled or disabled: the audit tells its state alone. Gives whether the entry is one of those.
    private mutating func switchFlag(_ entry: AuditEntry) throws -> Bool {
        guard entry.action == "flag.enable" || entry.action == "flag.disable" else { return false }
        var flag = try JSONValue(parsing: things[entry.subject] ?? "{}").object ?? [:]
        var definition = flag["definition"]?.object ?? [:]
        guard let state = entry.after["state"], entry.before["state"] == definition["state"] else {
            throw Untold("the state was \(definition["state"]?.jsonText ?? "nothing")")
        }
        definition["state"] = state
        flag["definition"] = .object(definition)
        things[entry.subject] = String(decoding: JSONValue.object(flag).canonicalJSON, as: UTF8.self)
        return true
    }
}
