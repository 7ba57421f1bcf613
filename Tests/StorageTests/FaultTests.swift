import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

@Suite struct `A store whose disk fails` {
    private let folder: TestFolder
    private let store: Store

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
        _ = try store.start(draft(1))
        _ = try store.put("before")
    }

    @Test func `to sync leaves the outcome unknown, and writes nothing until it is opened again`() throws {
        FaultyDisk.set(.syncFails, in: folder.path)
        #expect(try store.start(draft(2)).isUnknown)
        FaultyDisk.set(nil, in: folder.path)
        #expect(store.health.failure?.code == .writesStopped)
        #expect(try store.start(draft(3)).rejection == .writesStopped)
        #expect(store.recentJourney(draft(2).id) == nil)
        #expect(try store.read(draft(1).id).value??.pin == draft(1))
        store.close()
        let reopened = try folder.open()
        #expect(reopened.health.failure == nil)
        #expect(try reopened.start(draft(3)).value?.isNew == true)
    }

    @Test func `to sync a change keeps the configuration from before the batch and publishes nothing`() throws {
        FaultyDisk.set(.syncFails, in: folder.path)
        #expect(try store.put("after").isUnknown)
        FaultyDisk.set(nil, in: folder.path)
        #expect(store.configuration.revision == 1)
        #expect(store.configuration.flows.keys.sorted() == ["before"])
    }

    @Test func `because it is full rejects, and goes on by itself when there is room`() throws {
        FaultyDisk.set(.isFull, in: folder.path)
        #expect(try store.start(draft(2)).rejection == .diskFull)
        #expect(try store.put("after").rejection == .diskFull)
        FaultyDisk.set(nil, in: folder.path)
        #expect(store.health.failure == nil)
        #expect(try store.start(draft(2)).value?.isNew == true)
        let after = try #require(try store.put("after").value)
        #expect(after.configuration.revision == 2 && after.rows.count == 1)
        #expect(try store.auditVerdict() == AuditVerdict(entries: 2, head: try store.audit().last?.hash, fault: nil))
    }

    @Test func `in a checkpoint stops writing, because the log may not be overwritten`() throws {
        store.close()
        let store = try folder.open { $0.writeLimit = 100_000 }
        let last = Answer { completion in
            store.inOneBatch {
                for number in 2...40_000 {
                    store.startJourney(draft(UInt64(number))) { [folder] outcome in
                        guard number == 40_000 else { return }
                        // The commit is durable; the checkpoint that it made due comes after the completions.
                        FaultyDisk.set(.syncFails, in: folder.path)
                        completion(outcome)
                    }
                }
            }
        }
        #expect(try last.wait().value?.isNew == true)
        #expect(try store.start(draft(50_000)).rejection == .writesStopped)
        FaultyDisk.set(nil, in: folder.path)
    }

    @Test func `to keep power has everything that was answered`() throws {
        let synced = try TestFolder()
        let folder = try TestFolder()
        FaultyDisk.set(.keepsOnlySynced(synced.path), in: folder.path)
        defer { FaultyDisk.set(nil, in: folder.path) }
        let store = try folder.open()
        for number in 1...40 {
            #expect(try store.start(draft(UInt64(number))).value?.isNew == true)
            if number % 10 == 0 { #expect(try store.put("flow-\(number)").value != nil) }
        }
        // Of every file only what was synced, while the store still runs.
        let cut = try TestFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: synced.path)
        where FileManager.default.fileExists(atPath: "\(folder.path)/\(name)") {
            try FileManager.default.copyItem(atPath: "\(synced.path)/\(name)", toPath: "\(cut.path)/\(name)")
        }
        let after = try cut.open()
        for number in 1...40 { #expect(try after.read(draft(UInt64(number)).id).value??.pin.revision == 7) }
        #expect(after.configuration.revision == 4)
        #expect(try after.auditVerdict().fault == nil)
    }
}

@Suite struct `A store under pressure` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `refuses what does not fit its queue, at once, and keeps what it accepted`() throws {
        let store = try folder.open { $0.writeLimit = 3 }
        let accepted = AtomicCount()
        let refused = AtomicCount()
        store.inOneBatch {
            for number in 1...10 {
                store.startJourney(draft(UInt64(number))) { outcome in
                    if outcome.rejection == .overloaded { refused.add() } else { accepted.add() }
                }
            }
            #expect(refused.count == 7)
            #expect(store.health.waitingWrites == 3)
        }
        store.close()
        #expect(accepted.count == 3)
    }

    @Test func `finishes what it accepted before it closes`() throws {
        let store = try folder.open()
        let committed = AtomicCount()
        store.inOneBatch {
            for number in 1...100 {
                store.startJourney(draft(UInt64(number))) { if $0.value != nil { committed.add() } }
            }
        }
        store.close()
        #expect(committed.count == 100)
    }

    @Test func `that is dropped without a close gives its lock up`() throws {
        let dropped = Answer<Bool> { completion in
            let store = try? folder.open()
            store?.startJourney(draft(1)) { completion($0.value != nil) }
        }
        #expect(try dropped.wait())
        // The threads end by themselves; the lock goes with the last of them.
        while folder.refusal() == .locked { sched_yield() }
        #expect(try folder.open().read(draft(1).id).value??.pin == draft(1))
    }

    @Test func `stops writing when another program has written`() throws {
        let store = try folder.open()
        _ = try store.start(draft(1))
        try folder.shell("UPDATE environments SET epoch = 5")
        #expect(try store.start(draft(2)).rejection == .foreignWriter)
        #expect(store.health.failure?.code == .foreignWriter)
        #expect(try store.put("trips").rejection == .foreignWriter)
        #expect(try store.read(draft(1).id).value??.pin == draft(1))
    }

    @Test func `says so when another program holds the write lock, and goes on after it`() throws {
        let store = try folder.open()
        let other = try Connection(path: folder.database, for: .writing)
        try other.run("BEGIN IMMEDIATE")
        #expect(try store.start(draft(1)).rejection == .busy)
        try other.run("ROLLBACK")
        #expect(try store.start(draft(1)).value?.isNew == true)
    }

    @Test func `ends a read that takes too long`() throws {
        let connection = try Connection(path: folder.database, for: .writing)
        connection.limit(untilNanoseconds: 0)
        let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        #expect(throws: StoreError.self) { try connection.number(endless) }
        connection.limit(untilNanoseconds: nil)
        #expect(try connection.number("SELECT 1") == 1)
    }
}
