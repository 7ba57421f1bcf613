import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

@Suite struct `The anchor` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private var path: String { folder.path + "/anchor.json" }
    private var now: String { get throws { try String(contentsOfFile: path, encoding: .utf8) } }

    /// A store that had so many changes and pins, and was closed.
    private func fill(changes: Int = 5, pins: UInt64 = 5) throws {
        let store = try folder.open()
        for number in 0..<changes { _ = try store.put("flow-\(number)") }
        for number in 1...pins { _ = try store.start(draft(number)) }
        store.close()
    }

    private func unlock() throws {
        try folder.shell("DROP TRIGGER audit_entries_are_not_rewritten; DROP TRIGGER audit_entries_are_not_deleted")
    }

    /// Takes away the end of the audit so well that the chain does not show it.
    private func cutAudit(after sequence: Int) throws {
        try unlock()
        try folder.shell("DELETE FROM audit WHERE sequence > \(sequence)")
        try folder.shell("UPDATE environments SET revision = \(sequence)")
    }

    @Test func `is written when a store closes, with the last entry and the count of pins`() throws {
        try fill(changes: 3, pins: 7)
        let store = try folder.open()
        let last = try #require(try store.audit().last)
        let json = try now
        #expect(json.contains("\"sequence\":3"))
        #expect(json.contains("\"hash\":\"\(last.hash)\""))
        #expect(json.contains("\"pins\":7"))
        #expect(store.health.failure == nil)
    }

    @Test func `is written while the store is open, and counts only what is committed`() throws {
        let store = try folder.open()
        _ = try store.put("trips")
        let first = try Answer { store.writeAnchor(completion: $0) }.wait().value
        #expect((first?.sequence, first?.pins) == (1, 0))
        _ = try store.start(draft(1))
        let second = try Answer { store.writeAnchor(completion: $0) }.wait().value
        #expect((second?.sequence, second?.pins) == (1, 1))
    }

    @Test func `shows a cut audit that its chain does not show`() throws {
        try fill()
        try cutAudit(after: 3)
        let store = try folder.open()
        #expect(store.health.failure?.code == .auditCut)
        // The chain by itself holds.
        #expect(try store.auditVerdict() == AuditVerdict(entries: 3, head: try store.audit().last?.hash, fault: nil))
        #expect(try Answer { store.verifyAuditAndAnchor(completion: $0) }.wait().value?.fault != nil)
    }

    @Test func `stops changes and pins, not reads, and is kept as it was`() throws {
        try fill()
        let before = try now
        try cutAudit(after: 3)
        let store = try folder.open()
        #expect(try store.put("another").rejection == .auditCut)
        #expect(try store.start(draft(9)).rejection == .auditCut)
        #expect(try store.read(draft(1).id).value??.pin == draft(1))
        #expect(store.configuration.flows.count == 5)
        #expect(try Answer { store.writeAnchor(completion: $0) }.wait().rejection == .auditCut)
        store.close()
        #expect(try now == before)
        #expect(try folder.open().health.failure?.code == .auditCut)
    }

    @Test func `shows an audit that was written anew, with hashes that fit`() throws {
        try fill(changes: 3)
        let other = try TestFolder()
        let store = try other.open()
        for number in 0..<4 { _ = try store.put("forged-\(number)") }
        store.close()
        try FileManager.default.removeItem(atPath: folder.database)
        try FileManager.default.copyItem(atPath: other.database, toPath: folder.database)
        #expect(try folder.open().health.failure?.code == .auditCut)
    }

    @Test(arguments: [
        ("UPDATE environments SET pins_stored = pins_stored - 1", StoreError.Code?.some(.auditCut)),
        ("UPDATE environments SET pins_stored = pins_stored + 1", nil),
    ])
    func `shows that pins were stored that are unknown now`(sql: String, failure: StoreError.Code?) throws {
        try fill()
        try folder.shell(sql)
        #expect(try folder.open().health.failure?.code == failure)
    }

    @Test(arguments: ["", "{", "{}", "{\"sequence\":1}"])
    func `that is damaged stops writing`(text: String) throws {
        try fill()
        try folder.write(text, to: "anchor.json")
        #expect(try folder.open().health.failure?.code == .auditCut)
    }

    @Test func `of an older moment holds, and a missing one is not missed`() throws {
        try fill(changes: 1, pins: 1)
        let older = try now
        let store = try folder.open()
        _ = try store.put("trips")
        store.close()
        try folder.write(older, to: "anchor.json")
        let again = try folder.open()
        #expect(again.health.failure == nil)
        again.close()
        try FileManager.default.removeItem(atPath: path)
        #expect(try folder.open().health.failure == nil)
    }

    @Test func `survives sweeps: pins that were swept away stay counted`() throws {
        let store = try folder.open()
        for number in 1...20 { _ = try store.start(draft(UInt64(number), at: noon - 30 * day, lifetime: day)) }
        _ = try store.sweepNow(at: noon, isConfirmed: true)
        store.close()
        let after = try folder.open()
        #expect(after.health.failure == nil)
        let connection = try Connection(path: folder.database, for: .reading)
        #expect(try connection.number("SELECT pins_stored * 100 + pins_swept FROM environments") == 2_020)
    }
}

@Suite struct `The rows of the configuration` {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let store = try folder.open()
        for number in 0..<5 { _ = try store.put("flow-\(number)") }
        _ = try store.put("flow-1", owner: "another team")
        store.close()
    }

    @Test func `add up to what is stored beside the revision`() throws {
        #expect(folder.refusal() == nil)
    }

    @Test(arguments: [
        "UPDATE flows SET document = replace(document, 'team', 'tean')",
        "UPDATE flows SET flow_id = flow_id || 'x' WHERE key = 'flow-2'",
        "UPDATE flows SET key = 'flow-9' WHERE key = 'flow-2'",
        "DELETE FROM flows WHERE key = 'flow-3'",
        "INSERT INTO flows SELECT environment, 'flow-7', flow_id || '7', document FROM flows WHERE key = 'flow-3'",
        "UPDATE environments SET configuration_sum = configuration_sum + 1",
    ])
    func `are not served when they were changed behind the store's back`(sql: String) throws {
        try folder.shell(sql)
        #expect(folder.refusal() == .corrupt)
    }

    @Test func `of an earlier release are added up by the first start`() throws {
        try folder.shell("UPDATE environments SET configuration_sum = NULL")
        #expect(folder.refusal() == nil)
        try folder.shell("DELETE FROM flows WHERE key = 'flow-3'")
        #expect(folder.refusal() == .corrupt)
    }
}

@Suite struct `An outcome` {
    @Test(arguments: [
        "UPDATE journey_outcomes SET status = 'failed'", "UPDATE journey_outcomes SET name = 'other'",
        "UPDATE journey_outcomes SET ended_at = ended_at + 1", "UPDATE journey_outcomes SET name = NULL",
        "UPDATE journey_outcomes SET checksum = checksum + 1",
    ])
    func `that was changed behind the store's back is not shown`(sql: String) throws {
        let folder = try TestFolder()
        let store = try folder.open()
        _ = try store.start(draft(1))
        _ = try store.finish(draft(1).id, as: JourneyOutcome(status: .completed, name: "booked"))
        store.close()
        try folder.shell("DROP TRIGGER journey_outcomes_are_not_rewritten")
        try folder.shell(sql)
        let after = try folder.open()
        #expect(try after.read(draft(1).id).rejection == .damagedRow)
        #expect(
            try after.finish(draft(1).id, as: JourneyOutcome(status: .completed, name: "booked")).rejection
                == .damagedRow)
    }
}
