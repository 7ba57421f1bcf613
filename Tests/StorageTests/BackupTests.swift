import Foundation
import Rollouts
import Testing

@testable import Storage

@Suite struct `A backup` {
    private let folder: TestFolder
    private let elsewhere: TestFolder

    init() throws {
        folder = try TestFolder()
        elsewhere = try TestFolder()
    }

    private var path: String { folder.path + "/copy.db" }

    private func backUp(_ store: Store, to path: String? = nil) throws -> StoreOutcome<Backup> {
        try Answer { store.makeBackup(at: path ?? self.path, completion: $0) }.wait()
    }

    /// A store with three changes and twenty pins.
    private func filled() throws -> Store {
        let store = try folder.open()
        for number in 0..<3 { _ = try store.put("flow-\(number)") }
        for number in 1...20 { _ = try store.start(draft(UInt64(number))) }
        return store
    }

    private func restore(
        from path: String? = nil, replacing isReplacing: Bool = false, at now: Int64 = noon
    ) throws(StoreError) -> Restoration.Report {
        var options = Store.Options()
        options.now = { now }
        return try Restoration(
            of: path ?? self.path, to: elsewhere.database, isReplacing: isReplacing, options: options
        ).run()
    }

    private func refusal(from path: String? = nil, replacing isReplacing: Bool = false) -> StoreError.Code? {
        do {
            _ = try restore(from: path, replacing: isReplacing)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `is made while the store goes on, and holds one moment`() throws {
        let store = try filled()
        let backup = try #require(try backUp(store).value)
        _ = try store.start(draft(21))
        #expect((backup.anchor.sequence, backup.anchor.pins, backup.revision) == (3, 20, 3))
        #expect(backup.bytes > 0)
        #expect(try restore().segments == 20)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    }

    @Test func `never takes the place of a file`() throws {
        let store = try filled()
        try folder.write("precious", to: "copy.db")
        #expect(try backUp(store).rejection == .exists)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect(try backUp(store, to: folder.path + "/no/such/copy.db").rejection == .directoryMissing)
    }

    @Test func `is served after a restore, in a new epoch whose revision follows`() throws {
        let store = try filled()
        _ = try backUp(store)
        let report = try restore()
        #expect((report.anchor.epoch, report.revision, report.movedTo) == (noon, 4, nil))
        let restored = try elsewhere.open()
        #expect(restored.health.failure == nil)
        #expect((restored.configuration.epoch, restored.configuration.revision) == (noon, 4))
        #expect(restored.configuration.flows == store.configuration.flows)
        for number in 1...20 {
            #expect(try restored.read(draft(UInt64(number)).id).value??.pin == draft(UInt64(number)))
        }
        let entry = try #require(try restored.audit().last)
        #expect((entry.action, entry.epoch, entry.revision) == ("store.restore", noon, 4))
        #expect(try restored.auditVerdict().fault == nil)
        #expect(try restored.put("trips").value?.configuration.revision == 5)
    }

    @Test(arguments: [(noon, noon), (0, 2), (-5, 2)])
    func `gets a later epoch than it had, whatever the clock says`(now: Int64, epoch: Int64) throws {
        let store = try filled()
        _ = try backUp(store)
        #expect(try restore(at: now).anchor.epoch == epoch)
    }

    @Test func `moves a database aside only when told to, and its log with it`() throws {
        let store = try filled()
        _ = try backUp(store)
        try elsewhere.open().close()
        try elsewhere.write("a log", to: "signalbox.db-wal")
        let before = try Data(contentsOf: URL(fileURLWithPath: elsewhere.database))
        #expect(refusal() == .exists)
        #expect(try Data(contentsOf: URL(fileURLWithPath: elsewhere.database)) == before)
        let aside = try #require(try restore(replacing: true).movedTo)
        #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == before)
        #expect(try String(contentsOfFile: aside + "-wal", encoding: .utf8) == "a log")
        #expect(try elsewhere.open().configuration.flows.count == 3)
    }

    @Test func `is not restored under a store that runs`() throws {
        let store = try filled()
        _ = try backUp(store)
        let running = try elsewhere.open()
        #expect(refusal(replacing: true) == .locked)
        running.close()
        #expect(refusal(replacing: true) == nil)
    }

    @Test(
        arguments: [
            ("SELECT 1", nil),
            (
                "DELETE FROM journey_segments WHERE started_at > 0 AND journey = (SELECT max(journey) FROM journey_segments)",
                .corrupt
            ),
            ("DELETE FROM flows WHERE key = 'flow-1'", .corrupt),
            ("DROP TRIGGER audit_entries_are_not_rewritten; UPDATE audit SET actor = 'Eve'", .corrupt),
            ("DROP TRIGGER journey_segments_are_not_rewritten; UPDATE journey_segments SET unit = 'u-2'", .corrupt),
            (
                "DROP TRIGGER audit_entries_are_not_deleted; DELETE FROM audit WHERE sequence = 4", .corrupt
            ),
            ("DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET checksum = 1", .corrupt),
            ("DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET expires_at = 1", .corrupt),
            ("DROP TRIGGER artefacts_are_not_rewritten; UPDATE evidence_artefacts SET content = x'62'", .corrupt),
            ("INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', 1)", .newerSchema),
            ("UPDATE environments SET name = 'staging'", .notADatabase),
        ] as [(String, StoreError.Code?)])
    func `that is not what was copied is not restored`(sql: String, refused: StoreError.Code?) throws {
        let store = try filled()
        try store.record(item(1, "a"), "a")
        _ = try backUp(store)
        store.close()
        try? Connection(path: path, for: .writing).run(sql)
        #expect(refusal() == refused)
        #expect(FileManager.default.fileExists(atPath: elsewhere.database) == (refused == nil))
        #expect(!FileManager.default.fileExists(atPath: elsewhere.database + ".restoring"))
    }

    @Test func `is no file of another kind`() throws {
        try folder.write("This is no database.", to: "copy.db")
        #expect(refusal() == .notADatabase)
        try folder.write("", to: "copy.db")
        #expect(refusal() == .notADatabase)
        #expect(refusal(from: folder.path + "/none.db") == .notADatabase)
        let store = try filled()
        #expect(refusal(from: folder.database) == .notADatabase)
        store.close()
        #expect(!FileManager.default.fileExists(atPath: elsewhere.database))
    }
}
