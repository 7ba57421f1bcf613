import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct `A database that is opened` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    @Test func `is created with the environment at epoch 1 and revision 0`() throws {
        let store = try folder.open { $0.environment = "staging" }
        let configuration = store.configuration
        #expect(configuration.environment == "staging")
        #expect((configuration.epoch, configuration.revision) == (1, 0))
        #expect(store.health.failure == nil)
    }

    @Test func `has all that was answered after a close and another open`() throws {
        let store = try folder.open()
        _ = try store.put("trips")
        _ = try store.start(draft(1))
        let configuration = store.configuration
        store.close()
        let reopened = try folder.open()
        #expect(reopened.configuration == configuration)
        #expect(reopened.configuration.flows.keys.sorted() == ["trips"])
        #expect(try reopened.read(draft(1).id).value??.pin == draft(1))
    }

    @Test func `is left empty in its log and without a lock by a close`() throws {
        let store = try folder.open()
        _ = try store.start(draft(1))
        store.close()
        let log = try? FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int
        #expect(log ?? 0 == 0)
        #expect(try store.start(draft(2)).rejection == .closed)
        #expect(try store.read(draft(2).id).rejection == .closed)
        #expect(folder.refusal() == nil)
    }

    @Test func `has all that was answered when the process was killed`() throws {
        let store = try folder.open()
        for number in 1...50 { _ = try store.start(draft(UInt64(number))) }
        _ = try store.put("trips")
        let copy = try TestFolder()
        // The files as they are while the store still runs: what a kill leaves.
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy.database + suffix)
        }
        let after = try copy.open()
        #expect(after.configuration == store.configuration)
        for number in 1...50 { #expect(try after.read(draft(UInt64(number)).id).value??.pin.unit == "u-1") }
    }

    @Test func `commits through a log, with a sync for every commit`() throws {
        let connection = try Connection(path: folder.database, for: .writing)
        try connection.prepareForWriting()
        #expect(try connection.text("PRAGMA journal_mode") == "wal")
        #expect(try connection.number("PRAGMA synchronous") == 2)
        #expect(try connection.number("PRAGMA page_size") == 4_096)
        #expect(try connection.number("PRAGMA foreign_keys") == 1)
    }
}

@Suite struct `A database that cannot be served` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    /// The last pages may hold nothing that a start reads.
    @Test(arguments: [1, 4_096, 3 * 4_096])
    func `because its end was cut off, is refused`(bytes: Int) throws {
        let store = try folder.open()
        for number in 1...200 { _ = try store.start(draft(UInt64(number))) }
        store.close()
        let file = try #require(FileHandle(forUpdatingAtPath: folder.database))
        try file.truncate(atOffset: file.seekToEnd() - UInt64(bytes))
        try file.close()
        #expect(folder.refusal() == .corrupt)
    }

    @Test func `because its directory is missing, is not created`() {
        #expect(folder.refusal(at: folder.path + "/no/such/signalbox.db") == .directoryMissing)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/no"))
    }

    @Test func `because another store has it, is free again when that one closes`() throws {
        let store = try folder.open()
        #expect(folder.refusal() == .locked)
        store.close()
        #expect(folder.refusal() == nil)
    }

    @Test func `because another store has it under another name, is refused`() throws {
        let store = try folder.open()
        let link = folder.path + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.database)
        #expect(folder.refusal(at: link) == .locked)
        store.close()
        #expect(folder.refusal(at: link) == nil)
    }

    @Test func `because another process holds the lock, is refused`() throws {
        let holder = Process()
        let said = Pipe()
        let tells = Pipe()
        holder.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        holder.arguments = ["flock", folder.database + ".lock", "sh", "-c", "echo held; read line"]
        holder.standardOutput = said
        holder.standardInput = tells
        try holder.run()
        #expect(said.fileHandleForReading.availableData == Data("held\n".utf8))
        #expect(folder.refusal() == .locked)
        tells.fileHandleForWriting.write(Data("done\n".utf8))
        holder.waitUntilExit()
        #expect(folder.refusal() == nil)
    }

    @Test func `because the file is something else, keeps its bytes`() throws {
        let text = String(repeating: "This is no database. ", count: 100)
        try folder.write(text, to: "signalbox.db")
        #expect(folder.refusal() == .notADatabase)
        #expect(try String(contentsOfFile: folder.database, encoding: .utf8) == text)
    }

    @Test func `because another program made it, keeps its bytes`() throws {
        try folder.shell("CREATE TABLE notes (text TEXT)")
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
        #expect(folder.refusal() == .notADatabase)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
    }

    #if os(Linux)
        @Test func `because it may not be written, is refused`() throws {
            try folder.open().close()
            try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.database)
            try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.database + ".lock")
            // Of this thread only, and without effect unless it runs as root.
            let symbol = try #require(dlsym(nil, "setfsuid"))
            let setUser = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
            let own = geteuid()
            _ = setUser(65_534)
            let refusal = folder.refusal()
            _ = setUser(own)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
            #expect(refusal == .readOnly)
        }
    #endif
}
