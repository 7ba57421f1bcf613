import Foundation
import Rollouts
import Testing

@testable import Storage

@Suite struct `The doctor` {
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        let store = try folder.open()
        for number in 0..<3 { _ = try store.put("flow-\(number)") }
        for number in 1...9 { _ = try store.start(draft(UInt64(number))) }
        for number in 1...2 { try store.record(item(number, "\(number)"), "\(number)") }
        store.close()
    }

    private func findings(at now: Int64 = noon) -> [Finding] {
        var options = Store.Options()
        options.now = { now }
        return StoreExamination(of: folder.database, options: options).findings()
    }

    /// The checks that did not end with ok, each with its verdict.
    private func troubles(at now: Int64 = noon) -> [String] {
        findings(at: now).filter { $0.verdict != .ok }.map { "\($0.name) \($0.verdict.rawValue)" }
    }

    @Test func `finds nothing wrong with a sound database, and changes nothing`() throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        #expect(troubles().isEmpty)
        #expect(
            findings().map(\.name)
                == ["log", "pages", "configuration", "audit", "anchor", "journeys", "evidence", "clock"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    @Test(arguments: [
        ("DELETE FROM flows WHERE key = 'flow-1'", ["configuration fault"]),
        (
            "DROP TRIGGER audit_entries_are_not_rewritten; UPDATE audit SET actor = 'Eve' WHERE sequence = 2",
            ["audit fault"]
        ),
        (
            "DROP TRIGGER audit_entries_are_not_deleted; DELETE FROM audit WHERE sequence = 5", ["anchor fault"]
        ),
        (
            "DELETE FROM journey_segments WHERE journey = (SELECT max(journey) FROM journey_segments)",
            ["journeys fault"]
        ),
        (
            "DROP TRIGGER journey_segments_are_not_rewritten; UPDATE journey_segments SET unit = 'u-2'",
            ["journeys fault"]
        ),
        ("INSERT INTO schema_migrations VALUES (99, '0099_later.sql', 'x', 1)", ["store fault"]),
        ("UPDATE environments SET name = 'staging'", ["store fault"]),
    ])
    func `names what was changed behind the store's back`(sql: String, expected: [String]) throws {
        try folder.shell(sql)
        #expect(troubles() == expected)
        for finding in findings() where finding.verdict != .ok { #expect(!finding.remedy.isEmpty) }
    }

    @Test(arguments: `Stored evidence`.damages + ["id = 'x'"])
    func `names evidence that was changed behind the store's back`(damage: String) throws {
        try folder.shell(
            "DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET \(damage) WHERE id = '\(item(2, "").id)'")
        #expect(troubles() == ["evidence fault"])
        #expect(findings().first { $0.name == "evidence" }?.found == "2 items and 2 artefacts: 1 damaged")
    }

    @Test(arguments: ["content = x'62'", "size = 3", "hash = 'x'"])
    func `names an artefact that was changed behind the store's back`(damage: String) throws {
        let hash = item(2, "2").artefact
        try folder.shell(
            "DROP TRIGGER artefacts_are_not_rewritten; UPDATE evidence_artefacts SET \(damage) WHERE hash = '\(hash)'")
        #expect(troubles() == ["evidence fault"])
    }

    @Test func `counts with damaged counters`() throws {
        try folder.shell("UPDATE environments SET pins_stored = -9223372036854775808")
        #expect(troubles() == ["anchor fault", "journeys fault"])
    }

    @Test(
        arguments: [
            (noon, .min, .ok), (.min, .max, .fault), (.max, .min, .ok), (noon, noon + 61_000, .fault),
        ] as [(Int64, Int64, Finding.Verdict)])
    func `compares any clock with any time`(now: Int64, newest: Int64, verdict: Finding.Verdict) {
        #expect(Finding.ofClock(now: now, newest: newest).verdict == verdict)
    }

    @Test func `says that a service runs`() throws {
        let store = try folder.open()
        #expect(troubles() == ["store advice"])
        store.close()
        #expect(troubles().isEmpty)
    }

    @Test func `misses an anchor, and notices a clock that is behind`() throws {
        #expect(troubles(at: noon - 30_000).isEmpty)
        #expect(troubles(at: noon - hour) == ["clock fault"])
        try FileManager.default.removeItem(atPath: folder.path + "/anchor.json")
        #expect(troubles() == ["anchor advice"])
    }

    @Test func `says what is no database`() throws {
        try folder.write(String(repeating: "This is no database. ", count: 300), to: "signalbox.db")
        #expect(troubles() == ["store fault"])
        try FileManager.default.removeItem(atPath: folder.database)
        #expect(troubles() == ["store fault"])
    }

    @Test func `looks at the modes of the files`() throws {
        func permissions() -> Finding? {
            HostExamination(besides: folder.database).findings().first { $0.name == "permissions" }
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        #expect(permissions()?.verdict == .advice)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        #expect(permissions()?.verdict == .ok)
        try folder.write("sb_admin", to: "admin.key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path + "/admin.key")
        #expect(permissions()?.remedy.contains("chmod 0600") == true)
    }
}
