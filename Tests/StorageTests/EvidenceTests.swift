import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

private let ada = Actor(name: "Ada", role: .admin, keyID: "k1")

private func item(
    _ number: Int, _ text: String, kind: EvidenceItem.Kind = .parity, at now: Int64 = noon, lasting: Int64 = 90 * day
) -> EvidenceItem {
    var sha = SHA256()
    return EvidenceItem(
        id: "01993e0b-0000-7000-8000-00000000000\(number)", kind: kind, route: "trips.edit", contract: "c",
        build: BuildID(app: "app", number: 730), producer: "CI", artefact: sha.digest(of: text).hexadecimal,
        size: text.utf8.count, finding: EvidenceFinding(.pass), createdAt: now, expiresAt: now + lasting)
}

extension Store {
    @discardableResult
    fileprivate func record(_ item: EvidenceItem, _ text: String) throws -> StoreOutcome<RecordedEvidence> {
        try Answer { completion in
            record(
                { _, ledger in
                    if let standing = ledger.item(repeatedBy: item, at: item.createdAt) {
                        return RecordedEvidence(item: standing, audit: nil)
                    }
                    let draft = AuditDraft(
                        actor: ada, action: "evidence.push", subject: "evidence/\(item.route)", reason: "CI",
                        before: .null, after: .object(item.json))
                    return RecordedEvidence(item: item, audit: draft)
                }, artefact: Array(text.utf8), completion: completion)
        }.wait()
    }

    fileprivate func artefact(of id: String) throws -> [UInt8]?? {
        let found = try Answer { completion in
            evidence(id, withArtefact: true) { completion($0.value.map { $0.map(\.artefact) } ?? nil) }
        }.wait()
        return found
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

    @Test func `that was changed behind the service's back keeps it from starting, and its artefact from being shown`()
        throws
    {
        var store = try folder.open()
        try store.record(item(1, "a"), "a")
        store.close()
        let drop = "DROP TRIGGER evidence_is_not_rewritten; DROP TRIGGER artefacts_are_not_rewritten;"
        try folder.shell(drop + "UPDATE evidence_artefacts SET content = x'62'")
        store = try folder.open()
        let shown = try Answer { completion in
            store.evidence(item(1, "").id, withArtefact: true) { completion($0.rejection) }
        }.wait()
        #expect(shown == .corrupt)
        store.close()
        try folder.shell("UPDATE evidence SET document = replace(document, 'pass', 'fail')")
        #expect(folder.refusal() == .corrupt)
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
