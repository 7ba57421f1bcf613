import Foundation
import Testing

@testable import Storage

@Suite struct `Migrations` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private let first = """
        CREATE TABLE schema_migrations (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at INTEGER NOT NULL);
        CREATE TABLE parents (id INTEGER PRIMARY KEY);
        """

    /// Applies the files of the folder; nil when that went well.
    private func migrate() -> StoreError? {
        do {
            let connection = try Connection(path: folder.database, for: .writing)
            try Migrator(folder: folder.path).migrate(connection, at: noon)
            return nil
        } catch {
            return error
        }
    }

    private func number(_ sql: String) throws -> Int64? {
        try Connection(path: folder.database, for: .writing).number(sql)
    }

    private var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: folder.database)) } }

    @Test func `are applied in order, once, and keep the rows that are there`() throws {
        try folder.write(first, to: "0001_first.sql")
        #expect(migrate() == nil)
        try folder.shell("INSERT INTO parents VALUES (7)")
        try folder.write("ALTER TABLE parents ADD COLUMN name TEXT NOT NULL DEFAULT 'new'", to: "0002_names.sql")
        #expect(migrate() == nil)
        #expect(migrate() == nil)
        #expect(try number("SELECT id FROM parents WHERE name = 'new'") == 7)
        #expect(try number("SELECT count(*) FROM schema_migrations WHERE applied_at = \(noon)") == 2)
    }

    @Test func `that changed after they were applied are refused`() throws {
        try folder.write(first, to: "0001_first.sql")
        #expect(migrate() == nil)
        let before = try bytes
        try folder.write(first + "-- a word more", to: "0001_first.sql")
        #expect(migrate()?.code == .migrationChanged)
        #expect(try bytes == before)
    }

    @Test func `of a newer release are refused without changing a byte`() throws {
        try folder.write(first, to: "0001_first.sql")
        try folder.write("CREATE TABLE later (id INTEGER)", to: "0002_later.sql")
        #expect(migrate() == nil)
        try FileManager.default.removeItem(atPath: folder.path + "/0002_later.sql")
        let before = try bytes
        #expect(migrate()?.code == .newerSchema)
        #expect(try bytes == before)
    }

    @Test func `of a newer release are refused without emptying the log that a kill has left`() throws {
        try folder.write(first, to: "0001_first.sql")
        try folder.write("CREATE TABLE later (id INTEGER)", to: "0002_later.sql")
        let copy = try TestFolder()
        do {
            let connection = try Connection(path: folder.database, for: .writing)
            try Migrator(folder: folder.path).migrate(connection, at: noon)
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: folder.database + suffix, toPath: copy.database + suffix)
            }
        }
        try folder.write(first, to: "../\((copy.path as NSString).lastPathComponent)/0001_first.sql")
        let files = ["", "-wal"].map { URL(fileURLWithPath: copy.database + $0) }
        let before = try files.map { try Data(contentsOf: $0) }
        #expect(before[1].count > 4_096)
        let refusal = copy.refusal { $0.migrationsPath = copy.path }
        #expect(refusal == .newerSchema)
        #expect(try files.map { try Data(contentsOf: $0) } == before)
    }

    @Test func `that fail leave nothing of themselves`() throws {
        try folder.write(first, to: "0001_first.sql")
        try folder.write("CREATE TABLE half (id INTEGER); INSERT INTO missing VALUES (1);", to: "0002_half.sql")
        #expect(migrate()?.code == .migrationFailed)
        #expect(try number("SELECT count(*) FROM sqlite_schema WHERE name IN ('parents', 'half')") == 1)
        #expect(try number("SELECT max(number) FROM schema_migrations") == 1)
    }

    @Test func `that leave a row without its parent are not committed`() throws {
        try folder.write(first, to: "0001_first.sql")
        let orphan = """
            CREATE TABLE children (parent INTEGER REFERENCES parents (id));
            INSERT INTO children VALUES (99);
            """
        try folder.write(orphan, to: "0002_orphan.sql")
        #expect(migrate()?.code == .migrationFailed)
        #expect(try number("SELECT count(*) FROM sqlite_schema WHERE name = 'children'") == 0)
    }

    @Test(arguments: [
        ["0002_second.sql"], ["0001_first.sql", "0003_third.sql"], ["0001_a.sql", "0001_b.sql"], ["1_a.sql"],
    ])
    func `must be numbered from 0001 without gap`(names: [String]) throws {
        for name in names { try folder.write("SELECT 1;", to: name) }
        #expect(throws: StoreError.self) { try Migrator(folder: folder.path) }
    }

    @Test func `must be there`() throws {
        #expect(throws: StoreError.self) { try Migrator(folder: folder.path) }
        #expect(throws: StoreError.self) { try Migrator(folder: folder.path + "/missing") }
    }

    @Test func `travel with the program`() throws {
        #expect(try MigrationFile.all(in: MigrationFile.bundledFolder()).first?.name.hasPrefix("0001_") == true)
    }
}
