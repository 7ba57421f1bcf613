import FlagEvaluation
import Foundation
import Rollouts
import RouteContract
import Synchronization
import Testing

@testable import Storage

private func attempt(_ number: UInt64) -> JourneyID { JourneyID(milliseconds: noon, randomA: 1, randomB: number) }

private let other = JourneyChoices([("trips.edit", Choice(renderer: .legacy, reason: .crashLoopBreaker))])

private func resume(
    _ number: UInt64, _ attempt: JourneyID, build: Int64 = 740,
    decide: @escaping @Sendable (JourneyRecord) throws -> SegmentDecision = { _ in .opens(.crashLoopBreaker, other) }
) -> JourneyResume {
    JourneyResume(
        id: draft(number).id, attempt: attempt, build: BuildID(app: "app", number: build), epoch: 1, revision: 9,
        now: noon + hour, decide: decide)
}

@Suite struct `A journey that is resumed` {
    private let folder: TestFolder
    private let store: Store
    private let first = draft(1, renderer: .migrated)

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
        _ = try store.start(first)
    }

    @Test func `gets its next segment, and keeps the one before as it was`() throws {
        let resumed = try #require(try store.resume(resume(1, attempt(1))).value ?? nil)
        #expect(resumed.opened == .crashLoopBreaker && resumed.record.segment == 2)
        #expect(resumed.record.pin.choices == other)
        #expect(
            resumed.record.pin.opening
                == SegmentOpening(attempt: attempt(1), reason: .crashLoopBreaker, openedAt: noon + hour))
        #expect(resumed.record.pin.startedAt == first.startedAt && resumed.record.pin.expiresAt == first.expiresAt)
        #expect(store.recentJourney(first.id) == resumed.record)
        #expect(try store.read(first.id).value == resumed.record)
        #expect(try store.segments(of: first.id) == [JourneyRecord(segment: 1, pin: first), resumed.record])
        #expect(try store.start(first).value == StartedJourney(record: resumed.record, isNew: false))
        store.close()
        let reopened = try folder.open()
        #expect(try reopened.segments(of: first.id).map(\.segment) == [1, 2])
        #expect(
            StoreExamination(of: folder.database).findings().filter { $0.verdict == .fault && $0.name != "clock" } == []
        )
    }

    @Test func `by the same attempt gets no other segment, even when more has been opened since`() throws {
        for number: UInt64 in [1, 1, 2, 1] { _ = try store.resume(resume(1, attempt(number))) }
        #expect(try store.segments(of: first.id).map(\.pin.opening?.attempt) == [nil, attempt(1), attempt(2)])
        let again = try #require(try store.resume(resume(1, attempt(1))).value ?? nil)
        #expect(again.opened == nil && again.record.segment == 2)
    }

    @Test func `is decided on by what stands inside the transaction`() throws {
        let seen = Mutex<[Int64]>([])
        let last = Answer { completion in
            store.inOneBatch {
                for number: UInt64 in 1...3 {
                    store.resumeJourney(
                        resume(1, attempt(number)) { record in
                            seen.withLock { $0.append(record.segment) }
                            return record.segment < 3 ? .opens(.redecide, other) : .stands
                        }
                    ) { if number == 3 { completion($0) } }
                }
            }
        }
        #expect(try last.wait().value??.record.segment == 3)
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    @Test func `has one segment 2 when many threads resume at once`() throws {
        let done = DispatchSemaphore(value: 0)
        let answers = Mutex<Set<JourneyID?>>([])
        for thread in 0..<8 as Range<UInt64> {
            Thread.detachNewThread { [store] in
                let ask = resume(1, attempt(thread)) { $0.segment == 1 ? .opens(.repinOnResume, other) : .stands }
                store.resumeJourney(ask) { outcome in
                    if let resumed = outcome.value ?? nil {
                        answers.withLock { _ = $0.insert(resumed.record.pin.opening?.attempt) }
                    }
                    done.signal()
                }
            }
        }
        for _ in 0..<8 { #expect(done.wait(timeout: .now() + 60) == .success) }
        #expect(answers.withLock { $0.count } == 1)
        #expect(try store.segments(of: first.id).count == 2)
    }

    @Test func `that is refused, or stands, leaves everything as it is`() throws {
        let refused = try store.resume(resume(1, attempt(1)) { _ in throw Refusal() })
        guard case .rejected(let error) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(error is Refusal)
        #expect(try store.resume(resume(1, attempt(1)) { _ in .stands }).value??.record.segment == 1)
        #expect(try store.resume(resume(2, attempt(1))).value == .some(nil), "there is no such journey")
        #expect(try store.segments(of: first.id).count == 1)
    }

    @Test func `may end, and then has an outcome and no further segment`() throws {
        let ended = try #require(try store.resume(resume(1, attempt(1)) { _ in .ends }).value ?? nil)
        #expect(ended.isInterrupted && ended.record.outcome?.outcome == JourneyOutcome(status: .interrupted))
        let later = try #require(try store.resume(resume(1, attempt(2))).value ?? nil)
        #expect(later.opened == nil && later.record.outcome?.outcome.status == .interrupted)
        #expect(store.counters.reading.tally.ended == [.interrupted: 1])
    }

    @Test func `is counted by its latest segment alone, and swept with all of them`() throws {
        _ = try store.resume(resume(1, attempt(1)))
        _ = try store.report(first.id, ["trips.edit": .migrated])
        let live = try store.live()
        #expect(live.map(\.renderer) == [.legacy] && live.map(\.build.number) == [740])
        #expect(live[0].opened == [.crashLoopBreaker: 1] && live[0].conflicts == 1)
        #expect(try store.sweepNow(at: noon + 9 * day, isConfirmed: true).deletedRows == 3)
        #expect(try store.segments(of: first.id).isEmpty)
        store.close()
        #expect(
            StoreExamination(of: folder.database).findings().filter { $0.verdict == .fault && $0.name != "clock" } == []
        )
    }

    @Test func `is refused when a later segment was changed behind the store's back`() throws {
        _ = try store.resume(resume(1, attempt(1)))
        store.close()
        try folder.shell("DROP TRIGGER journey_segments_are_not_rewritten")
        try folder.shell("UPDATE journey_segments SET reason = 'redecide' WHERE segment = 2")
        let reopened = try folder.open()
        #expect(try reopened.read(first.id).rejection == .damagedRow)
        #expect(try reopened.resume(resume(1, attempt(2))).rejection == .damagedRow)
    }

    @Test func `keeps its segment when the disk fails, and has the next one or not after a sync that failed`() throws {
        FaultyDisk.set(.isFull, in: folder.path)
        #expect(try store.resume(resume(1, attempt(1))).rejection == .diskFull)
        FaultyDisk.set(.syncFails, in: folder.path)
        #expect(try store.resume(resume(1, attempt(1))).isUnknown)
        FaultyDisk.set(nil, in: folder.path)
        #expect(store.recentJourney(first.id)?.segment == 1)
        store.close()
        let reopened = try folder.open()
        // The attempt is the same, so however that ended there is one segment 2.
        _ = try reopened.resume(resume(1, attempt(1)))
        #expect(try reopened.segments(of: first.id).map(\.segment) == [1, 2])
    }
}

@Suite struct `A conflict that a device reports` {
    private let folder: TestFolder
    private let store: Store
    private let id = draft(1).id

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
        _ = try store.start(draft(1))
    }

    @Test func `is stored once, and switches nothing`() throws {
        let told: [String: Renderer] = ["trips.edit": .migrated, "trips.list": .legacy]
        let conflict = JourneyConflict(segment: 1, choices: told, reportedAt: noon)
        #expect(try store.report(id, told).value == .stands(conflict, isNew: true))
        #expect(try store.report(id, ["trips.list": .migrated]).value == .stands(conflict, isNew: false))
        #expect(try store.read(id).value??.pin == draft(1))
        store.close()
        let reopened = try folder.open()
        #expect(try Answer { reopened.history(of: id, completion: $0) }.wait().value?.conflict == conflict)
    }

    @Test func `is none when the device shows what is pinned, or when there is no journey`() throws {
        #expect(try store.report(id, ["trips.edit": .legacy]).value == ReportedConflict.none)
        #expect(try store.report(draft(2).id, ["trips.edit": .legacy]).value == .notFound)
        #expect(store.counters.reading.tally.conflicts == 0)
    }
}

@Suite struct `The use of builds` {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func register(_ numbers: Int64..., in store: Store) throws {
        for number in numbers {
            let build = Build(id: BuildID(app: "app", number: number), version: "7", renderers: [:])
            let stored = Answer { completion in
                store.change(
                    { configuration in
                        var next = configuration
                        next.revision += 1
                        next.store(.build(build))
                        return AppliedCommand(
                            configuration: next, rows: [.build(build)], audit: configuration.putting("x\(number)").audit
                        )
                    }, completion: completion)
            }
            #expect(try stored.wait().value != nil)
        }
    }

    @Test func `counts new journeys by hour, and those of unregistered builds together`() throws {
        let clock = Clock(noon)
        let store = try folder.open { $0.now = { clock.now } }
        try register(730, 740, in: store)
        for number in 1...4 as ClosedRange<UInt64> { _ = try store.start(draft(number)) }
        _ = try store.start(draft(1))
        for number in 5...6 as ClosedRange<UInt64> { _ = try store.start(draft(number, build: Int64(900 + number))) }
        clock.now = noon + 2 * day
        _ = try store.start(draft(7))
        _ = try store.start(draft(8, build: 740))
        #expect(
            try store.activity(at: clock.now) == [
                BuildActivity(build: nil, day: 0, week: 2, month: 2, lastSeenAt: noon),
                BuildActivity(
                    build: BuildID(app: "app", number: 730), day: 1, week: 5, month: 5, lastSeenAt: clock.now),
                BuildActivity(
                    build: BuildID(app: "app", number: 740), day: 1, week: 1, month: 1, lastSeenAt: clock.now),
            ])
    }

    @Test func `outlives the sweep of its journeys, and then remembers when it was last seen`() throws {
        let clock = Clock(noon)
        let store = try folder.open { $0.now = { clock.now } }
        try register(730, in: store)
        _ = try store.start(draft(1))
        for later in [10 * day, 60 * day] {
            clock.now = noon + later
            _ = try store.sweepNow(at: clock.now, isConfirmed: true)
        }
        let build = BuildID(app: "app", number: 730)
        #expect(
            try store.activity(at: noon + 10 * day) == [
                BuildActivity(build: build, day: 0, week: 0, month: 0, lastSeenAt: noon)
            ])
        #expect(try store.read(draft(1).id).value == .some(nil))
    }

    @Test func `does not count what a device decided and nobody could follow`() throws {
        let store = try folder.open()
        try register(730, in: store)
        let pin = draft(1)
        for (number, origin) in [(UInt64(1), PinOrigin.unverified), (2, .decided)] {
            let told = JourneyDraft(
                id: draft(number).id, flow: pin.flow, unit: pin.unit, build: pin.build, epoch: 1, revision: 3,
                startedAt: noon, expiresAt: noon + day, choices: pin.choices, origin: origin)
            #expect(try store.start(told).value?.record.pin == told)
            #expect(try store.read(told.id).value??.pin == told)
        }
        #expect(try store.activity().map(\.week) == [1])
        #expect(try store.live().map(\.count) == [2, 2] && store.live().map(\.unverified) == [1, 1])
        #expect(store.counters.reading.tally.decided == [.unverified: 1, .decided: 1])
    }

    /// A clock that a test sets.
    private final class Clock: Sendable {
        private let time: Mutex<Int64>
        init(_ now: Int64) { time = Mutex(now) }
        var now: Int64 {
            get { time.withLock { $0 } }
            set { time.withLock { $0 = newValue } }
        }
    }
}

@Suite struct `The migration to segments` {
    @Test func `keeps pins as they are and counts them by build`() throws {
        let folder = try TestFolder()
        let earlier = try TestFolder()
        let bundled = try MigrationFile.bundledFolder()
        let files = try MigrationFile.all(in: bundled)
        let number = try #require(files.first { $0.name.contains("segments_conflicts") }?.number)
        for file in files.prefix(Int(number) - 1) {
            try FileManager.default.copyItem(atPath: bundled + "/" + file.name, toPath: earlier.path + "/" + file.name)
        }
        do {
            let connection = try Connection(path: folder.database, for: .writing)
            try Migrator(folder: earlier.path).migrate(connection, at: noon)
        }
        // What the earlier release stored: the same checksum, none of the later columns.
        let pin = draft(1)
        let checksum = RowChecksum.of(pin, segment: 1)
        let id = String(pin.id.description.filter { $0 != "-" })
        let choices = String(decoding: pin.choices.text, as: UTF8.self)
        try folder.shell(
            """
            INSERT INTO environments (id, name, epoch, revision, swept_at, pins_stored) VALUES (1, 'production', 1, 0, 0, 1);
            INSERT INTO builds VALUES (1, 'app', 730, '{"build":"app:730","version":"7","renderers":{}}');
            INSERT INTO journey_segments (environment, journey, segment, flow, unit, app, build_number, parent, epoch,
                revision, started_at, expires_at, choices, checksum)
            VALUES (1, x'\(id)', 1, 'trips', 'u-1', 'app', 730, NULL, 1, 7, \(noon), \(noon + day), '\(choices)', \(checksum));
            """)
        let store = try folder.open()
        #expect(try store.read(pin.id).value??.pin == pin)
        #expect(try store.activity().map(\.build) == [pin.build])
        #expect(try store.activity().map(\.day) == [1])
    }
}
