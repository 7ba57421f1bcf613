import FlagEvaluation

extension Configuration {
    func creatingKey(_ key: AccessKey, at now: Int64) throws(RolloutError) -> Change? {
        try checkKey(key.id)
        try key.check(at: now)
        if let existing = keys[key.id] {
            guard existing == key else {
                throw RolloutError(.keyExists, "There is a key with the id \"\(key.id)\" already.")
            }
            return nil
        }
        guard !keys.values.contains(where: { $0.hash == key.hash }) else {
            throw RolloutError(.keyExists, "That key is registered already, under another id.")
        }
        return Change("key.create", "key/\(key.id)", before: nil, after: key.publicJSON, row: .key(key))
    }

    func revokingKey(_ id: String, at now: Int64) throws(RolloutError) -> Change? {
        let before = try keys[id].orThrow(RolloutError(.keyNotFound, "There is no key with the id \"\(id)\"."))
        guard before.revokedAt == nil else { return nil }
        if before.administers(at: now) {
            // One that expires sooner is no successor: with it the environment would lose its last key unseen.
            guard keys.values.contains(where: { $0.id != id && $0.administers(at: now) && !$0.endsBefore(before) })
            else {
                throw RolloutError(
                    .lastAdminKey,
                    "No other key with the role admin is valid as long as this one; create one that is first.")
            }
        }
        var after = before
        after.revokedAt = now
        return Change("key.revoke", "key/\(id)", before: before.publicJSON, after: after.publicJSON, row: .key(after))
    }
}

extension AccessKey {
    /// Whether the key opens anything at that time.
    package func isUsable(at now: Int64) -> Bool {
        revokedAt == nil && expiresAt.map { now < $0 } ?? true
    }

    /// Whether the key expires, and sooner than another.
    fileprivate func endsBefore(_ other: AccessKey) -> Bool { expiresAt ?? .max < other.expiresAt ?? .max }

    fileprivate func administers(at now: Int64) -> Bool {
        kind == .admin && role == .admin && isUsable(at: now)
    }

    fileprivate func check(at now: Int64) throws(RolloutError) {
        guard (kind == .admin) == (role != nil) else {
            throw .invalidField("/role", "given for an admin key, and for no other")
        }
        guard !holder.isBlank else { throw .invalidField("/holder", "the name of a person or a program") }
        guard hash.utf8.count == 64, hash.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
            throw .invalidField("/hash", "a SHA-256 in lower-case hexadecimal")
        }
        if let expiresAt, expiresAt <= now { throw .invalidField("/expiresAt", "a time to come") }
        guard revokedAt == nil else { throw .invalidField("/revokedAt", "left out of a new key") }
    }
}
