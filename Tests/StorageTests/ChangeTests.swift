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
            for row in rows {
                switch row {
                case .flow(let flow): next.flows[flow.key] = flow
                case .route(let route): next.routes[route.key] = route
                case .flag(let flag): next.flags[flag.key] = flag
                case .removedFlag(let key): next.flags[key] = nil
                case .cohort(let cohort): next.cohorts[cohort.key] = cohort
                case .removedCohort(let key): next.cohorts[key] = nil
                case .build(let build): next.builds[build.id] = build
                case .key(let key): next.keys[key.id] = key
                }
            }
            return AppliedCommand(configuration: next, rows: rows, audit: configuration.putting("x").audit)
        }
        let everything = try #require(
            try Answer { store.change({ apply($0, oneOfEach) }, completion: $0) }.wait().value)
        let removals: [ConfigurationRow] = [.removedFlag("search"), .removedCohort("beta")]
        store.close()
        var reopened = try folder.open()
        #expect(reopened.configuration == everything.configuration)
        _ = try Answer { reopened.change({ apply($0, removals) }, completion: $0) }.wait()
        reopened.close()
        reopened = try folder.open()
        #expect(reopened.configuration.flags.isEmpty && reopened.configuration.cohorts.isEmpty)
        #expect(reopened.configuration.revision == 2)
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
]
