import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Testing

@testable import Storage

@Suite struct `The migration to overrides and settings` {
    private let folder: TestFolder
    private let earlier: TestFolder

    init() throws {
        folder = try TestFolder()
        earlier = try TestFolder()
        let bundled = try MigrationFile.bundledFolder()
        for file in try MigrationFile.all(in: bundled).prefix(2) {
            try FileManager.default.copyItem(atPath: bundled + "/" + file.name, toPath: earlier.path + "/" + file.name)
        }
    }

    private func store(_ store: Store, _ rows: [ConfigurationRow]) throws {
        let stored = Answer { completion in
            store.change(
                { configuration in
                    var next = configuration
                    next.revision += 1
                    for row in rows { next.store(row) }
                    return AppliedCommand(
                        configuration: next, rows: rows, audit: configuration.putting("audited").audit)
                }, completion: completion)
        }
        #expect(try stored.wait().value != nil)
    }

    /// What the previous release wrote: flags without a generation of bucketing, plans without a holdout.
    @Test func `keeps the rows that are there, and reads them as they were meant`() throws {
        do {
            let connection = try Connection(path: folder.database, for: .writing)
            try Migrator(folder: earlier.path).migrate(connection, at: noon)
        }
        try folder.shell(
            """
            INSERT INTO environments (id, name, epoch, revision, swept_at) VALUES (1, 'production', 1, 3, 0);
            INSERT INTO flows VALUES (1, 'trips', '01993e0b-0000-7000-8000-000000000001',
                '{"id":"01993e0b-0000-7000-8000-000000000001","journeyLifetimeSeconds":86400,"key":"trips","owner":"team"}');
            INSERT INTO routes VALUES (1, 'trips.edit', 'trips', 'partialRollout', 'active', 1,
                '{"contract":null,"deletion":null,"entryPoints":[],"flipBacks":0,"flow":"trips","highestHealthyStep":0,'
                || '"island":null,"key":"trips.edit","owner":null,"plan":{"steps":[{"cohort":null,"share":500}]},'
                || '"purpose":null,"requires":[],"rolledBackFrom":null,"stage":"partialRollout","stageSince":5,'
                || '"status":"active","step":1,"stepSince":5}');
            INSERT INTO flags VALUES (1, 'search',
                '{"definition":{"state":"ENABLED","variants":{"on":true}},"key":"search","warnings":[]}');
            """)
        let opened = try folder.open { $0.environment = "production" }
        let configuration = opened.configuration
        #expect(configuration.revision == 3)
        #expect(configuration.flags["search"]?.bucketing == .v2)
        #expect(configuration.routes["trips.edit"]?.plan == RolloutPlan(steps: [.init(cohort: nil, share: 500)]))
        #expect(configuration.settings == EnvironmentSettings() && configuration.overrides.isEmpty)
        let override = Override(
            id: Override.ID(route: "trips.edit", unit: "ü 1"), renderer: .migrated, owner: "QA", reason: "test",
            expiresAt: noon + day)
        try store(opened, [.override(override), .settings(EnvironmentSettings(unknownBuild: .trust))])
        opened.close()
        let reopened = try folder.open { $0.environment = "production" }
        #expect(reopened.configuration.overrides == [override.id: override])
        #expect(reopened.configuration.settings.unknownBuild == .trust)
    }

    @Test func `refuses an override of a route that does not exist`() throws {
        let opened = try folder.open()
        let override = Override(
            id: Override.ID(route: "nowhere", unit: "u"), renderer: .migrated, owner: "QA", reason: "test",
            expiresAt: noon + day)
        let outcome = try Answer { completion in
            opened.change(
                { configuration in
                    var next = configuration
                    next.revision += 1
                    next.store(.override(override))
                    return AppliedCommand(
                        configuration: next, rows: [.override(override)], audit: configuration.putting("x").audit)
                }, completion: completion)
        }.wait()
        #expect(outcome.rejection == .failed)
        #expect(opened.configuration.overrides.isEmpty)
    }
}
