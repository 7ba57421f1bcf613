import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Synchronization
import Testing

@testable import Storage

/// 29 November 2026, 12:00 UTC.
let noon: Int64 = 1_796_040_000_000
let hour: Int64 = 3_600_000
let day: Int64 = 24 * hour

/// A folder of its own for every test; gone with the last reference.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "storage-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var database: String { path + "/signalbox.db" }

    func open(_ configure: (inout Store.Options) -> Void = { _ in }) throws -> Store {
        FaultyDisk.install()
        var options = Store.Options()
        options.now = { noon }
        configure(&options)
        return try Store.open(at: database, options: options)
    }

    /// The code with which the store refuses to open.
    func refusal(at path: String? = nil, _ configure: (inout Store.Options) -> Void = { _ in }) -> StoreError.Code? {
        do {
            var options = Store.Options()
            options.now = { noon }
            configure(&options)
            try Store.open(at: path ?? database, options: options).close()
            return nil
        } catch {
            return error.code
        }
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
    }

    /// Runs SQL over a connection of its own, as the sqlite3 shell would, past our lock.
    func shell(_ sql: String) throws { try Connection(path: database, for: .writing).run(sql) }
}

/// Waits for what a completion is given.
final class Answer<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Hands the completion to `ask`.
    init(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) {
        ask { [self] value in
            self.value.withLock { $0 = value }
            isThere.signal()
        }
    }

    func wait() throws -> Value {
        try #require(isThere.wait(timeout: .now() + 60) == .success, "no completion in a minute")
        isThere.signal()
        return try #require(value.withLock { $0 })
    }
}

extension StoreOutcome {
    /// The store's code, when the job was rejected by the store.
    var rejection: StoreError.Code? { if case .rejected(let error as StoreError) = self { error.code } else { nil } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// A journey that starts at noon.
func draft(
    _ number: UInt64, at time: Int64 = noon, flow: String = "trips", unit: String = "u-1",
    app: String = "app", build: Int64 = 730, renderer: Renderer = .legacy, lifetime: Int64 = day
) -> JourneyDraft {
    let choices = JourneyChoices([
        ("trips.edit", Choice(renderer: renderer, reason: .share)),
        ("trips.list", Choice(renderer: .legacy, reason: .stage)),
    ])
    return JourneyDraft(
        id: JourneyID(milliseconds: time, randomA: 0, randomB: number), flow: flow, unit: unit,
        build: BuildID(app: app, number: build), epoch: 1, revision: 7, startedAt: time, expiresAt: time + lifetime,
        choices: choices)
}

extension Store {
    func start(_ draft: JourneyDraft) throws -> StoreOutcome<StartedJourney> {
        try Answer { startJourney(draft, completion: $0) }.wait()
    }

    func finish(_ id: JourneyID, as outcome: JourneyOutcome) throws -> StoreOutcome<FinishedJourney> {
        try Answer { finishJourney(id, as: outcome, completion: $0) }.wait()
    }

    func read(_ id: JourneyID) throws -> StoreOutcome<JourneyRecord?> {
        try Answer { journey(id, completion: $0) }.wait()
    }

    func live(at now: Int64 = noon) throws -> [LiveJourneys] {
        try #require(try Answer { liveJourneys(at: now, completion: $0) }.wait().value).journeys
    }

    func resume(_ resume: JourneyResume) throws -> StoreOutcome<ResumedJourney?> {
        try Answer { resumeJourney(resume, completion: $0) }.wait()
    }

    func report(_ id: JourneyID, _ choices: [String: Renderer]) throws -> StoreOutcome<ReportedConflict> {
        try Answer { reportConflict(of: id, showing: choices, completion: $0) }.wait()
    }

    func segments(of id: JourneyID) throws -> [JourneyRecord] {
        try #require(try Answer { history(of: id, completion: $0) }.wait().value).segments
    }

    func activity(at now: Int64 = noon) throws -> [BuildActivity] {
        try #require(try Answer { buildActivity(at: now, completion: $0) }.wait().value)
    }

    func put(_ flow: String, owner: String = "team") throws -> StoreOutcome<AppliedCommand> {
        try Answer { change({ $0.putting(flow, owner: owner) }, completion: $0) }.wait()
    }

    func audit(after sequence: Int64 = 0, limit: Int = 1_000) throws -> [AuditEntry] {
        try #require(try Answer { auditEntries(.after(sequence, limit: limit), completion: $0) }.wait().value)
    }

    func audit(_ page: AuditPage, of subject: String? = nil) throws -> [AuditEntry] {
        try #require(try Answer { auditEntries(page, of: subject, completion: $0) }.wait().value)
    }

    func auditVerdict() throws -> AuditVerdict {
        try #require(try Answer { verifyAudit(completion: $0) }.wait().value)
    }

    func sweepNow(at now: Int64, isConfirmed: Bool = false) throws -> SweepReport {
        try #require(try Answer { sweep(at: now, isConfirmed: isConfirmed, completion: $0) }.wait().value)
    }

    /// Holds the writer inside a batch while `body` queues jobs: together they are the next batch.
    func inOneBatch(_ body: () throws -> Void) rethrows {
        let isHeld = DispatchSemaphore(value: 0)
        let goesOn = DispatchSemaphore(value: 0)
        change(
            { _ in
                isHeld.signal()
                goesOn.wait()
                throw Refusal()
            }, completion: { _ in })
        isHeld.wait()
        defer { goesOn.signal() }
        try body()
    }
}

struct Refusal: Error, Equatable {}

extension Configuration {
    /// What putting a flow would do; nothing, when it is there already with that owner.
    func putting(_ key: String, owner: String = "team") -> AppliedCommand {
        if flows[key]?.owner == owner { return AppliedCommand(configuration: self, rows: [], audit: nil) }
        let flow = Flow(id: "01993e0b-0000-7000-8000-\(key)", key: key, owner: owner)
        var next = self
        next.flows[key] = flow
        next.revision += 1
        let draft = AuditDraft(
            actor: Actor(name: "Ada \"the\" Admin", role: .admin, keyID: "k1"), action: "flow.put",
            subject: "flow/\(key)", reason: "because", before: .null, after: .object(flow.json))
        return AppliedCommand(configuration: next, rows: [.flow(flow)], audit: draft)
    }
}
