import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

extension Store {
    fileprivate func artefact(of id: String) throws -> [UInt8]?? {
        let found = try Answer { completion in
            evidence(id, withArtefact: true) { completion($0.value.map { $0.map(\.artefact) } ?? nil) }
        }.wait()
        return found
    }

    fileprivate func refusal(of id: String, withArtefact: Bool) throws -> StoreError.Code? {
        try Answer { completion in
            evidence(id, withArtefact: withArtefact) { completion($0.rejection) }
        }.wait()
    }

    fileprivate func page(_ query: EvidenceQuery) throws -> [String] {
        try #require(try Answer { evidence(query, completion: $0) }.wait().value).map(\.id)
    }
}

@Suite struct `Stored evidence` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `is in the ledger, in the table and in the audit, at the revision that there was`() throws {
        let store = try folder.open()
        _ = try store.put("000000000001")
        let first = item(1, "a")
        try store.record(first, "a")
        #expect(store.evidence == EvidenceLedger([first]))
        #expect(try store.page(EvidenceQuery()) == [first.id])
        #expect(try store.artefact(of: first.id) == Array("a".utf8))
        #expect(try store.artefact(of: "none") == .none)
        #expect(store.configuration.revision == 1)
        #expect(try store.audit().map(\.revision) == [1, 1])
        _ = try store.put("000000000002")
        #expect(try store.audit().map(\.revision) == [1, 1, 2])
        #expect(try store.auditVerdict().fault == nil)
        store.close()
        #expect(try folder.open().evidence == EvidenceLedger([first]))
    }

    @Test func `keeps the bytes of an artefact once`() throws {
        let store = try folder.open()
        try store.record(item(1, "same"), "same")
        try store.record(item(2, "same", kind: .performance), "same")
        let again = try store.record(item(3, "same"), "same")
        #expect(again.value?.audit == nil)
        store.close()
        let connection = try Connection(path: folder.database, for: .reading)
        #expect(try connection.number("SELECT count(*) FROM evidence_artefacts") == 1)
        #expect(try connection.number("SELECT count(*) FROM evidence") == 2)
    }

    @Test func `is read in pages, of a route and a kind`() throws {
        let store = try folder.open()
        for number in 1...4 {
            try store.record(item(number, "\(number)", kind: number == 2 ? .rehearsal : .parity), "\(number)")
        }
        let ids = (1...4).map { item($0, "").id }
        #expect(try store.page(EvidenceQuery(limit: 2)) == [ids[3], ids[2]])
        #expect(try store.page(EvidenceQuery(before: ids[2], limit: 2)) == [ids[1], ids[0]])
        #expect(try store.page(EvidenceQuery(kind: .rehearsal)) == [ids[1]])
        #expect(try store.page(EvidenceQuery(route: "other")) == [])
    }

    @Test func `takes no more than there is room for, and lets go of what counts no more`() throws {
        let store = try folder.open {
            $0.evidenceBytes = 10
            $0.now = { noon + 2 * day }
        }
        try store.record(item(1, "12345", lasting: day), "12345")
        try store.record(item(2, "67890"), "67890")
        let before = try store.audit().count
        #expect(try store.record(item(3, "abcdefgh"), "abcdefgh").failure == .evidenceFull)
        #expect(try store.audit().count == before)
        #expect(
            try store.artefact(of: item(1, "").id) == .some(.some(Array("12345".utf8))), "nothing was let go for it")
        #expect(try store.record(item(4, "abc"), "abc").value != nil)
        #expect(try store.artefact(of: item(1, "").id) == .some(nil))
        #expect(try store.artefact(of: item(2, "").id) == .some(.some(Array("67890".utf8))))
    }

    @Test func `is gone with the transaction that is not committed`() throws {
        let store = try folder.open()
        try store.record(item(1, "a"), "a")
        FaultyDisk.set(.isFull, in: folder.path)
        defer { FaultyDisk.set(nil, in: folder.path) }
        #expect(try store.record(item(2, "b"), "b").value == nil)
        #expect(store.evidence == EvidenceLedger([item(1, "a")]))
    }

    @Test(arguments: [
        "UPDATE evidence SET route = 'x'", "DELETE FROM evidence", "UPDATE evidence_artefacts SET size = 1",
    ])
    func `is never rewritten`(sql: String) throws {
        let store = try folder.open()
        try store.record(item(1, "a"), "a")
        store.close()
        #expect(throws: StoreError.self) { try folder.shell(sql) }
    }

    @Test func `whose artefact was changed behind the service's back is not shown with it`() throws {
        var store = try folder.open()
        try store.record(item(1, "a"), "a")
        store.close()
        try folder.shell("DROP TRIGGER artefacts_are_not_rewritten; UPDATE evidence_artefacts SET content = x'62'")
        store = try folder.open()
        #expect(try store.refusal(of: item(1, "").id, withArtefact: true) == .damagedRow)
        #expect(try store.refusal(of: item(1, "").id, withArtefact: false) == nil)
    }

    /// What makes a row of the evidence another one than was stored.
    static let damages = [
        "document = replace(document, 'pass', 'fail')", "checksum = 1", "route = 'trips.list'", "kind = 'rehearsal'",
        "artefact = 'x'", "expires_at = expires_at + 1",
    ]

    @Test(arguments: damages)
    func `that was changed behind the service's back counts no more, and the rest is served`(damage: String) throws {
        var store = try folder.open()
        for number in 1...3 { try store.record(item(number, "\(number)"), "\(number)") }
        store.close()
        try folder.shell(
            "DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET \(damage) WHERE id = '\(item(2, "").id)'")
        store = try folder.open()
        #expect(store.evidence.items(.parity, of: "trips.edit") == [item(3, "3")])
        #expect(store.damagedEvidence == 1)
        #expect(try store.page(EvidenceQuery(limit: 2)) == [item(3, "").id, item(1, "").id])
        #expect(try store.refusal(of: item(2, "").id, withArtefact: false) == .damagedRow)
        #expect(try store.refusal(of: item(1, "").id, withArtefact: true) == nil)
    }

    @Test func `that is damaged may have failed, so nothing older counts in its place`() throws {
        var store = try folder.open()
        try store.record(item(1, "1"), "1")
        try store.record(item(2, "2", kind: .performance), "2")
        try store.record(item(3, "3", .fail), "3")
        store.close()
        try folder.shell(
            "DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET checksum = 1 WHERE id = '\(item(3, "").id)'")
        store = try folder.open()
        #expect(store.evidence.items(.parity, of: "trips.edit") == [])
        #expect(store.evidence.isDoubtful(.parity, of: "trips.edit"))
        #expect(store.evidence.items(.performance, of: "trips.edit") == [item(2, "2", kind: .performance)])
        #expect(!store.evidence.isDoubtful(.performance, of: "trips.edit"))
        try store.record(item(4, "4"), "4")
        #expect(store.evidence.items(.parity, of: "trips.edit") == [item(4, "4")])
        #expect(!store.evidence.isDoubtful(.parity, of: "trips.edit"))
    }

    @Test func `does not expire by a column alone`() throws {
        var store = try folder.open()
        try store.record(item(1, "1"), "1")
        try store.record(item(2, "2", .fail, id: JourneyID.first(at: noon - 1).description), "2")
        store.close()
        try folder.shell(
            "DROP TRIGGER evidence_is_not_rewritten; UPDATE evidence SET expires_at = 1 WHERE id > '0199f'")
        store = try folder.open()
        #expect(store.damagedEvidence == 1 && store.evidence.isDoubtful(.parity, of: "trips.edit"))
        store.close()
        #expect(try folder.open { $0.now = { noon + 91 * day } }.damagedEvidence == 0)
    }

    @Test func `takes no size of an artefact for granted`() throws {
        var store = try folder.open()
        try store.record(item(1, "a"), "a")
        store.close()
        try folder.shell(
            "DROP TRIGGER artefacts_are_not_rewritten; UPDATE evidence_artefacts SET size = 9223372036854775807")
        store = try folder.open()
        #expect(try store.record(item(2, "b"), "b").failure == .evidenceFull)
    }

    @Test(arguments: [
        (EvidenceQuery(), []), (EvidenceQuery(before: "x"), []),
        (EvidenceQuery(route: "trips.edit"), ["route"]), (EvidenceQuery(route: "trips.edit", before: "x"), ["route"]),
        (EvidenceQuery(route: "trips.edit", kind: .parity), ["route", "kind"]),
        (EvidenceQuery(route: "trips.edit", kind: .parity, before: "x"), ["route", "kind"]),
    ])
    func `of a route is found in the index of routes`(query: EvidenceQuery, columns: [String]) throws {
        try folder.open().close()
        let connection = try Connection(path: folder.database, for: .reading)
        let plan = try Statement("EXPLAIN QUERY PLAN " + EvidenceTables.sql(of: query), database: connection.handle)
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3)) }
        #expect(steps.first?.hasPrefix("SEARCH evidence USING PRIMARY KEY (environment=?") == true, "\(steps)")
        let found = steps.contains { step in
            step.contains("COVERING INDEX evidence_by_route") && columns.allSatisfy { step.contains("\($0)=?") }
        }
        #expect(found == !columns.isEmpty, "\(steps)")
    }

    @Test func `has its tables after a migration that keeps what is there`() throws {
        let earlier = try TestFolder()
        let bundled = try MigrationFile.bundledFolder()
        let files = try MigrationFile.all(in: bundled)
        let place = try #require(files.firstIndex { $0.name.contains("evidence") })
        for file in files.prefix(place) {
            try FileManager.default.copyItem(atPath: bundled + "/" + file.name, toPath: earlier.path + "/" + file.name)
        }
        do {
            let connection = try Connection(path: folder.database, for: .writing)
            try Migrator(folder: earlier.path).migrate(connection, at: noon)
        }
        try folder.shell(
            """
            INSERT INTO environments (id, name, epoch, revision, swept_at) VALUES (1, 'production', 1, 0, 0);
            INSERT INTO flows VALUES (1, 'trips', '01993e0b-0000-7000-8000-000000000001',
                '{"id":"01993e0b-0000-7000-8000-000000000001","journeyLifetimeSeconds":86400,"key":"trips","owner":"team"}');
            """)
        let store = try folder.open()
        #expect(store.configuration.flows.count == 1 && store.configuration.conditions.isEmpty)
        #expect(store.evidence == EvidenceLedger())
        #expect(try store.record(item(1, "a"), "a").value != nil)
    }
}

extension StoreOutcome {
    fileprivate var failure: RolloutError.Code? {
        if case .rejected(let error as RolloutError) = self { error.code } else { nil }
    }
}
