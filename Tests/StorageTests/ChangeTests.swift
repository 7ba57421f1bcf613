import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Synchronization
import Testing

@testable import Storage

@Suite struct `A change of the configuration` {
    private let folder: TestFolder
    private let store: Store
    private let published: Log

    /// What happened, in order.
    final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init() throws {
        let log = Log()
        published = log
        folder = try TestFolder()
        store = try folder.open { $0.onPublish = { log.add("publish \($0.revision)") } }
    }

    @Test func `is committed with the next revision`() throws {
        let applied = try #require(try store.put("trips").value)
        #expect(applied.configuration.revision == 1)
        #expect(store.configuration == applied.configuration)
        #expect(try store.put("orders").value?.configuration.revision == 2)
    }

    @Test func `that repeats what holds has no new revision, no audit entry, and is not published`() throws {
        _ = try store.put("trips")
        #expect(try store.put("trips").value?.configuration.revision == 1)
        #expect(try store.audit().count == 1)
        #expect(published.all == ["publish 1"])
    }

    @Test func `sees earlier ones of its batch, which is published once and before any completion`()
        throws
    {
        store.inOneBatch {
            for flow in ["a", "b", "c"] {
                store.change({ $0.putting(flow) }) { [published] in
                    published.add("\(flow) at \($0.value?.configuration.revision ?? -1)")
                }
            }
        }
        _ = try store.start(draft(1))
        #expect(published.all == ["publish 3", "a at 1", "b at 2", "c at 3"])
    }

    @Test func `that is refused changes nothing and harms no other job of its batch`() throws {
        let outcomes = Mutex<[String]>([])
        store.inOneBatch {
            store.change({ $0.putting("a") }) { outcome in
                outcomes.withLock { $0.append("a \(outcome.value?.configuration.revision ?? -1)") }
            }
            store.change({ _ in throw Refusal() }) { outcome in
                guard case .rejected(let error) = outcome else { return }
                outcomes.withLock { $0.append("refused \(error is Refusal)") }
            }
            // Two flows with one id: the database refuses the second row after the first statement.
            store.change({ configuration in
                let applied = configuration.putting("b")
                let twin = Flow(id: "01993e0b-0000-7000-8000-b", key: "twin", owner: "team")
                return AppliedCommand(
                    configuration: applied.configuration, rows: applied.rows + [.flow(twin)], audit: applied.audit)
            }) { outcome in outcomes.withLock { $0.append("twin \(outcome.rejection?.rawValue ?? "")") } }
            store.startJourney(draft(1)) { outcome in
                outcomes.withLock { $0.append("journey \(outcome.value?.isNew ?? false)") }
            }
            store.change({ $0.putting("c") }) { outcome in
                outcomes.withLock { $0.append("c \(outcome.value?.configuration.revision ?? -1)") }
            }
        }
        _ = try store.start(draft(2))
        #expect(outcomes.withLock { $0 } == ["a 1", "refused true", "twin store_failed", "journey true", "c 2"])
        store.close()
        let reopened = try folder.open()
        #expect(reopened.configuration.flows.keys.sorted() == ["a", "c"])
        #expect(reopened.configuration == store.configuration)
    }

    @Test func `must lead to the next revision and carry an audit entry`() throws {
        let leaps = Answer { completion in
            store.change(
                { configuration in
                    var next = configuration
                    next.revision += 2
                    let applied = configuration.putting("trips")
                    return AppliedCommand(configuration: next, rows: applied.rows, audit: applied.audit)
                }, completion: completion)
        }
        #expect(try leaps.wait().rejection == .failed)
        let silent = Answer { completion in
            store.change(
                { configuration in
                    let applied = configuration.putting("trips")
                    return AppliedCommand(configuration: applied.configuration, rows: applied.rows, audit: nil)
                }, completion: completion)
        }
        #expect(try silent.wait().rejection == .failed)
        #expect(store.configuration.revision == 0)
    }

    @Test func `from many threads gives revisions and audit entries without gap`() throws {
        let revisions = Mutex<[Int64]>([])
        let done = DispatchSemaphore(value: 0)
        for thread in 0..<8 {
            Thread.detachNewThread { [store] in
                for number in 0..<25 {
                    store.change({ $0.putting("flow-\(thread)-\(number)") }) { outcome in
                        revisions.withLock { $0.append(outcome.value?.configuration.revision ?? -1) }
                        done.signal()
                    }
                }
            }
        }
        for _ in 0..<200 { #expect(done.wait(timeout: .now() + 60) == .success) }
        #expect(revisions.withLock { $0 } == Array(1...200))
        let entries = try store.audit()
        #expect(entries.map(\.revision) == Array(1...200))
        #expect(entries.map(\.sequence) == Array(1...200))
    }

    @Test func `stores every kind of row and removes what is removed`() throws {
        let apply: @Sendable (Configuration, [ConfigurationRow]) -> AppliedCommand = { configuration, rows in
            var next = configuration
            next.revision += 1
            for row in rows { next.store(row) }
            return AppliedCommand(configuration: next, rows: rows, audit: configuration.putting("x").audit)
        }
        let everything = try #require(
            try Answer { store.change({ apply($0, oneOfEach) }, completion: $0) }.wait().value)
        let removals: [ConfigurationRow] = [
            .removedFlag("search"), .removedCohort("beta"),
            .removedOverride(Override.ID(route: "trips.edit", unit: "u-1")),
        ]
        store.close()
        var reopened = try folder.open()
        #expect(reopened.configuration == everything.configuration)
        _ = try Answer { reopened.change({ apply($0, removals) }, completion: $0) }.wait()
        reopened.close()
        reopened = try folder.open()
        #expect(reopened.configuration.flags.isEmpty && reopened.configuration.cohorts.isEmpty)
        #expect(reopened.configuration.overrides.isEmpty)
        #expect(reopened.configuration.revision == 2)
    }
}

@Suite struct `A stored row` {
    /// Stores rows as they are and opens the database again.
    private func reopened(_ folder: TestFolder, with row: ConfigurationRow) throws -> Store {
        let store = try folder.open()
        let outcome = try Answer<StoreOutcome<AppliedCommand>> { completion in
            store.change(
                { configuration in
                    var next = configuration
                    next.revision += 1
                    next.store(row)
                    let audit = AuditDraft(
                        actor: Actor(name: "Ada", role: .editor, keyID: "k1"), action: "test", subject: "test",
                        reason: "test", before: .null, after: row.document)
                    return AppliedCommand(configuration: next, rows: [row], audit: audit)
                }, completion: completion)
        }.wait()
        #expect(outcome.value != nil)
        store.close()
        return try folder.open()
    }

    @Test func `is read again however many keys it has and however deep it is`() throws {
        let variants = (0..<200_000).map { ("v\($0)", JSONValue.integer(Int64($0))) }
        let deep = (0..<100).reduce(JSONValue.integer(1)) { inner, _ in ["a": inner] }
        let definition: JSONObject = ["variants": .object(JSONObject(variants)), "metadata": deep]
        let flag = StoredFlag(
            key: "large", definition: definition,
            warnings: (0..<70_000).map { FlagWarning(path: "/targeting/\($0)", code: .operatorMisuse) })
        let folder = try TestFolder()
        let store = try reopened(folder, with: .flag(flag))
        #expect(store.configuration.flags["large"] == flag)
        #expect(try store.audit().first?.after == .object(flag.json))
        #expect(try store.auditVerdict().fault == nil)
    }

    @Test func `that is damaged is refused without a word of its content`() throws {
        let folder = try TestFolder()
        let secret = String(repeating: "5ec1e7", count: 10) + "0000"
        let key = AccessKey(id: "k1", kind: .admin, role: .admin, holder: "Ada", hash: secret, createdAt: noon)
        try reopened(folder, with: .key(key)).close()
        for damage in ["replace(document, 'holder', 'held')", "substr(document, 1, length(document) - 1)", "'[]'"] {
            let copy = try TestFolder()
            try FileManager.default.copyItem(atPath: folder.database, toPath: copy.database)
            try copy.shell("UPDATE keys SET document = \(damage)")
            let error = try #require(throws: StoreError.self) { try copy.open() }
            #expect(error.code == .corrupt)
            #expect(error.message.contains("keys") && !error.message.contains("5ec1e7"), "\(error.message)")
        }
    }
}

extension ConfigurationRow {
    fileprivate var document: JSONValue {
        switch self {
        case .flag(let flag): .object(flag.json)
        case .key(let key): .object(key.publicJSON)
        default: .null
        }
    }
}

private let oneOfEach: [ConfigurationRow] = [
    .flow(Flow(id: "01993e0b-0000-7000-8000-000000000001", key: "trips", owner: "team")),
    .route(RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)),
    .flag(
        StoredFlag(key: "search", definition: ["state": "ENABLED", "variants": ["on": true], "defaultVariant": "on"])),
    .flag(StoredFlag(key: "other", definition: [:])),
    .removedFlag("other"),
    .cohort(Cohort(key: "beta", rule: ["==": [["var": "tier"], "beta"]])),
    .build(
        Build(id: BuildID(app: "app", number: 730), version: "7.3.0", renderers: ["trips.edit": [.legacy, .migrated]])),
    .key(
        AccessKey(
            id: "k1", kind: .admin, role: .admin, holder: "Ada", hash: String(repeating: "0", count: 64),
            createdAt: noon)),
    .override(
        Override(
            id: Override.ID(route: "trips.edit", unit: "u-1"), renderer: .migrated, owner: "QA", reason: "test",
            expiresAt: noon + day)),
    .settings(EnvironmentSettings(unknownBuild: .trust, flagSet: ["metadata": ["team": "search"]])),
]
