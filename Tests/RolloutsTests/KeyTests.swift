import FlagEvaluation
import Testing

@testable import Rollouts

@Suite struct `An access key` {
    private func configuration(_ keys: AccessKey...) throws -> Configuration {
        var configuration = try Configuration.example
        for key in keys { configuration.store(.key(key)) }
        return configuration
    }

    @Test func `is created once, and its hash stays out of the audit`() throws {
        let key = AccessKey.admin("k1", fill: "a")
        let audit = try Configuration.example.audit(of: .createKey(key))
        #expect(audit?.after["holder"] == "ana" && audit?.after["hash"] == nil)
        let after = try Configuration.example.after(.createKey(key))
        #expect(try after.isRepeat(.createKey(key)))
        #expect(after.refusal(of: .createKey(.admin("k1", fill: "b")))?.code == .keyExists)
        #expect(after.refusal(of: .createKey(.admin("k2", fill: "a")))?.code == .keyExists)
    }

    @Test(
        arguments: [
            ("k1", .admin, nil, "ana", "a", nil, "/role"), ("k1", .app, .viewer, "ana", "a", nil, "/role"),
            ("k1", .app, nil, "", "a", nil, "/holder"), ("k1", .app, nil, "ana", "A", nil, "/hash"),
            ("k1", .app, nil, "ana", "a", noon, "/expiresAt"),
        ] as [(String, AccessKey.Kind, AccessKey.Role?, String, Character, Int64?, JSONValue)])
    func `is checked`(
        id: String, kind: AccessKey.Kind, role: AccessKey.Role?, holder: String, fill: Character, expiresAt: Int64?,
        path: JSONValue
    ) throws {
        let key = AccessKey(
            id: id, kind: kind, role: role, holder: holder, hash: String(repeating: fill, count: 64), createdAt: noon,
            expiresAt: expiresAt)
        let error = try Configuration.example.refusal(of: .createKey(key))
        #expect(error?.code == .invalidField && error?.details["path"] == path)
    }

    @Test func `is revoked for good`() throws {
        let before = try configuration(.admin("k1", fill: "a"), .admin("k2", role: .viewer, fill: "b"))
        let after = try before.after(.revokeKey(id: "k2"))
        #expect(after.keys["k2"]?.revokedAt == noon)
        #expect(after.keys["k2"]?.isUsable(at: noon) == false)
        #expect(try after.isRepeat(.revokeKey(id: "k2")))
        #expect(before.refusal(of: .revokeKey(id: "nope"))?.code == .keyNotFound)
    }

    @Test func `is not revoked when it is the last that can manage keys`() throws {
        let others: [AccessKey] = [.admin("k2", role: .approver, fill: "b"), .admin("k3", expiresAt: noon, fill: "c")]
        var lonely = try configuration(.admin("k1", fill: "a"), others[0], others[1])
        #expect(lonely.refusal(of: .revokeKey(id: "k1"))?.code == .lastAdminKey)
        #expect(lonely.refusal(of: .revokeKey(id: "k3")) == nil, "an expired key is no loss")
        lonely.store(.key(.admin("k4", expiresAt: noon + day, fill: "d")))
        #expect(lonely.refusal(of: .revokeKey(id: "k1"))?.code == .lastAdminKey, "k4 ends, and then nobody could")
        #expect(lonely.refusal(of: .revokeKey(id: "k4")) == nil)
        lonely.store(.key(.admin("k5", fill: "e")))
        let after = try lonely.after(.revokeKey(id: "k1"))
        #expect(after.refusal(of: .revokeKey(id: "k5"))?.code == .lastAdminKey)
    }
}
