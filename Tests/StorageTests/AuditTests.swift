import FlagEvaluation
import Foundation
import Testing

@testable import Storage

@Suite struct `The audit` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// A store with that many changes.
    private func store(changes: Int) throws -> Store {
        let store = try folder.open()
        for number in 0..<changes { _ = try store.put("flow-\(number)") }
        return store
    }

    @Test func `holds who did what to what and why, before and after`() throws {
        let entry = try #require(try store(changes: 1).audit().first)
        #expect((entry.sequence, entry.epoch, entry.revision, entry.time) == (1, 1, 1, noon))
        #expect((entry.actor, entry.role, entry.keyID) == ("Ada \"the\" Admin", "admin", "k1"))
        #expect((entry.action, entry.subject, entry.reason) == ("flow.put", "flow/flow-0", "because"))
        #expect(entry.before == .null)
        #expect(entry.after["key"] == "flow-0")
    }

    @Test func `chains every entry to the one before by a hash that anybody can recompute`() throws {
        let entries = try store(changes: 2).audit()
        #expect(entries[0].previousHash == String(repeating: "0", count: 64))
        #expect(entries[1].previousHash == entries[0].hash)
        let after = String(decoding: entries[0].after.canonicalJSON, as: UTF8.self)
        let text = """
            ["production",1,1,1,\(noon),"Ada \\"the\\" Admin","admin","k1","flow.put","flow/flow-0","because",null,\
            \(after),"\(entries[0].previousHash)"]
            """
        var sha = SHA256()
        #expect(entries[0].hash == sha.digest(of: text).hexadecimal)
    }

    @Test func `is read in pages`() throws {
        let store = try store(changes: 5)
        #expect(try store.audit(after: 2, limit: 2).map(\.sequence) == [3, 4])
        #expect(try store.audit(after: 5).isEmpty)
        #expect(try store.audit(limit: -1).map(\.sequence) == [1])
    }

    @Test func `is read in shorter pages when its entries are large, and to its end`() throws {
        let store = try folder.open()
        for number in 0..<6 { _ = try store.put("flow-\(number)", owner: String(repeating: "x", count: 1_500_000)) }
        _ = try store.put("large", owner: String(repeating: "x", count: 5_000_000))
        _ = try store.put("last")
        var pages: [[Int64]] = []
        var sequence: Int64 = 0
        while let last = try store.audit(after: sequence).last {
            pages.append(try store.audit(after: sequence).map(\.sequence))
            sequence = last.sequence
        }
        #expect(pages == [[1, 2], [3, 4], [5, 6], [7], [8]])
        #expect(
            try store.auditVerdict() == AuditVerdict(entries: 8, head: try store.audit(after: 7).last?.hash, fault: nil)
        )
    }

    @Test func `is read from its end, in the order of time`() throws {
        let store = try store(changes: 5)
        #expect(try store.audit(.before(.max, limit: 2)).map(\.sequence) == [4, 5])
        #expect(try store.audit(.before(.max, limit: 9)).map(\.sequence) == [1, 2, 3, 4, 5])
        #expect(try store.audit(.before(.max, limit: 0)).map(\.sequence) == [5])
    }

    @Test func `is read for one subject`() throws {
        let store = try store(changes: 3)
        let subjects = try store.audit().map(\.subject)
        for page in [AuditPage.after(0, limit: 1), .before(.max, limit: 1), .before(.max, limit: 9)] {
            #expect(try store.audit(page, of: subjects[1]).map(\.subject) == subjects.filter { $0 == subjects[1] })
        }
        #expect(try store.audit(.before(.max, limit: 9), of: "flow/none").isEmpty)
    }

    @Test func `verifies while it is as it was written`() throws {
        let store = try store(changes: 3)
        let verdict = try store.auditVerdict()
        #expect(verdict == AuditVerdict(entries: 3, head: try store.audit().last?.hash, fault: nil))
    }

    @Test func `verifies when it is empty`() throws {
        #expect(try store(changes: 0).auditVerdict() == AuditVerdict(entries: 0, head: nil, fault: nil))
    }

    @Test func `verifies over more than one slice`() throws {
        #expect(try store(changes: 1_003).auditVerdict().entries == 1_003)
    }

    @Test(arguments: [
        ("UPDATE audit SET reason = 'another' WHERE sequence = 2", 1),
        ("UPDATE audit SET after = 'null' WHERE sequence = 3", 2),
        ("UPDATE audit SET occurred_at = occurred_at + 1 WHERE sequence = 1", 0),
        ("UPDATE audit SET hash = previous_hash WHERE sequence = 2", 1),
        ("UPDATE audit SET sequence = 9 WHERE sequence = 5", 4),
        ("DELETE FROM audit WHERE sequence = 3", 2),
        ("DELETE FROM audit WHERE sequence >= 4", 3),
        ("DELETE FROM audit", 0),
    ])
    func `shows a change behind the store's back`(sql: String, intact: Int64) throws {
        try store(changes: 5).close()
        try folder.shell("DROP TRIGGER audit_entries_are_not_rewritten; DROP TRIGGER audit_entries_are_not_deleted")
        try folder.shell(sql)
        let verdict = try folder.open().auditVerdict()
        #expect(verdict.fault != nil)
        #expect(verdict.entries == intact)
    }

    @Test func `answers no entry that is not what was written`() throws {
        try store(changes: 3).close()
        try folder.shell("DROP TRIGGER audit_entries_are_not_rewritten")
        try folder.shell("UPDATE audit SET after = '{\"state' WHERE sequence = 2")
        let store = try folder.open()
        let read = try Answer { store.auditEntries(.after(0, limit: 10), completion: $0) }.wait()
        guard case .rejected(let error) = read else {
            Issue.record("a damaged entry was answered")
            return
        }
        #expect((error as? StoreError)?.code == .damagedRow)
    }

    @Test(arguments: ["UPDATE audit SET reason = ''", "DELETE FROM audit"])
    func `is only ever appended to`(sql: String) throws {
        try store(changes: 1).close()
        #expect(throws: StoreError.self) { try folder.shell(sql) }
    }
}
