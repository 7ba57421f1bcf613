import Foundation
import Rollouts
import RouteContract
import Synchronization
import Testing

@testable import Storage

@Suite struct `A journey that is started` {
    private let folder: TestFolder
    private let store: Store
    private let journey = draft(1)

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
    }

    @Test func `is stored as it was asked for and read back the same`() throws {
        let asked = draft(1, renderer: .migrated)
        let started = try #require(try store.start(asked).value)
        #expect(started == StartedJourney(record: JourneyRecord(segment: 1, pin: asked, outcome: nil), isNew: true))
        #expect(try store.read(asked.id).value == started.record)
        #expect(started.record.pin.choices["trips.edit"] == Choice(renderer: .migrated, reason: .share))
        #expect(started.record.pin.choices["trips.none"] == nil)
    }

    @Test func `keeps its first answer when it is asked again, whatever the second asks for`() throws {
        let first = draft(1, renderer: .legacy)
        _ = try store.start(first)
        let second = draft(1, flow: "orders", unit: "u-2", renderer: .migrated)
        let again = try #require(try store.start(second).value)
        #expect(again == StartedJourney(record: JourneyRecord(segment: 1, pin: first, outcome: nil), isNew: false))
    }

    @Test func `keeps its first answer within one batch as well`() throws {
        let answers = Mutex<[Bool: [Renderer]]>([:])
        store.inOneBatch {
            for renderer in [Renderer.migrated, .legacy, .legacy] {
                store.startJourney(draft(1, renderer: renderer)) { outcome in
                    guard let started = outcome.value else { return }
                    let stored = started.record.pin.choices["trips.edit"]?.renderer
                    answers.withLock { $0[started.isNew, default: []].append(stored ?? .legacy) }
                }
            }
        }
        _ = try store.start(draft(2))
        #expect(answers.withLock { $0 } == [true: [.migrated], false: [.migrated, .migrated]])
    }

    @Test func `has one answer when many threads ask at once for both renderers`() throws {
        let answers = Mutex<[JourneyID: Set<Renderer>]>([:])
        let created = Atomic<Int>(0)
        let done = DispatchSemaphore(value: 0)
        let (threads, journeys) = (16, UInt64(200))
        for thread in 0..<threads {
            Thread.detachNewThread { [store] in
                for number in 0..<journeys {
                    let asked = draft(number, renderer: thread % 2 == 0 ? .legacy : .migrated)
                    store.startJourney(asked) { outcome in
                        if let started = outcome.value, let all = started.record.pin.choices.all {
                            if started.isNew { created.add(1, ordering: .relaxed) }
                            answers.withLock { _ = $0[asked.id, default: []].insert(all[0].choice.renderer) }
                        }
                        done.signal()
                    }
                }
            }
        }
        for _ in 0..<(threads * Int(journeys)) { #expect(done.wait(timeout: .now() + 60) == .success) }
        #expect(created.load(ordering: .relaxed) == Int(journeys))
        #expect(answers.withLock { $0.count } == Int(journeys))
        #expect(answers.withLock { $0.values.allSatisfy { $0.count == 1 } })
    }

    @Test func `is remembered once it is committed, and not before`() throws {
        let remembered = Mutex<JourneyRecord?>(nil)
        store.inOneBatch {
            store.startJourney(journey) { [store, journey] _ in
                remembered.withLock { $0 = store.recentJourney(journey.id) }
            }
            #expect(store.recentJourney(journey.id) == nil)
        }
        _ = try store.start(draft(2))
        #expect(remembered.withLock { $0?.pin } == journey)
    }

    @Test func `is not there when nobody started it`() throws {
        #expect(try store.read(journey.id).value == .some(nil))
    }

    @Test func `is refused when its row was changed behind the store's back`() throws {
        _ = try store.start(journey)
        store.close()
        try folder.shell("DROP TRIGGER journey_segments_are_not_rewritten")
        try folder.shell("UPDATE journey_segments SET choices = replace(choices, 'legacy/share', 'migrated/share')")
        let reopened = try folder.open()
        #expect(try reopened.start(journey).rejection == .damagedRow)
        #expect(try reopened.read(journey.id).rejection == .damagedRow)
        #expect(try reopened.start(draft(2)).value?.isNew == true)
    }

    @Test func `is never rewritten, not even by SQL`() throws {
        _ = try store.start(journey)
        store.close()
        #expect(throws: StoreError.self) { try folder.shell("UPDATE journey_segments SET unit = 'u-2'") }
    }
}

@Suite struct `A journey that ends` {
    private let folder: TestFolder
    private let store: Store
    private let saved = JourneyOutcome(status: .completed, name: "saved")
    private let id = draft(1).id

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
        _ = try store.start(draft(1))
    }

    @Test func `has the first outcome that was reported; a repeat is accepted and another is a conflict`() throws {
        let first = EndedJourney(outcome: saved, endedAt: noon)
        #expect(try store.finish(id, as: saved).value == .recorded(first, flow: "trips"))
        #expect(try store.finish(id, as: saved).value == .repeated(first, flow: "trips"))
        #expect(try store.finish(id, as: JourneyOutcome(status: .completed)).value == .conflict(first))
        #expect(try store.finish(id, as: JourneyOutcome(status: .cancelled, name: "saved")).value == .conflict(first))
    }

    @Test func `answers its outcome when it is started again, read, or remembered`() throws {
        _ = try store.finish(id, as: saved)
        #expect(try store.start(draft(1)).value?.record.outcome?.outcome == saved)
        #expect(try store.read(id).value??.outcome?.outcome == saved)
        #expect(store.recentJourney(id)?.outcome?.outcome == saved)
    }

    @Test func `must have been started`() throws {
        #expect(try store.finish(draft(2).id, as: saved).value == .notFound)
    }

    @Test func `is counted with all others over more than one slice`() throws {
        let count = UInt64(2 * JourneySlice.size + 1)
        let last = Answer { completion in
            for number in 2...count {
                store.startJourney(draft(number, at: noon - Int64(number))) { outcome in
                    if number == count { completion(outcome) }
                }
            }
        }
        _ = try last.wait()
        #expect(try store.live().map(\.count) == [Int(count), Int(count)])
    }

    @Test func `is no longer counted as live`() throws {
        for number in 2...5 { _ = try store.start(draft(UInt64(number), renderer: .migrated)) }
        _ = try store.start(draft(6, flow: "orders"))
        _ = try store.start(draft(7, at: noon - 2 * day, lifetime: day))
        _ = try store.finish(draft(5).id, as: saved)
        let live = try store.live()
        #expect(live.map(\.route) == ["trips.edit", "trips.edit", "trips.list"])
        #expect(live.map(\.renderer) == [.legacy, .migrated, .legacy])
        #expect(live.map(\.count) == [2, 3, 5])
        #expect(live.allSatisfy { $0.build == draft(1).build && $0.lastEnd == noon + day })
    }

    @Test func `is counted by its age, to the very millisecond`() throws {
        let ages: [Int64] = [-60_000, hour - 1, hour, 6 * hour - 1, 6 * hour, day - 1, day, 3 * day]
        for (number, age) in ages.enumerated() {
            _ = try store.start(draft(UInt64(10 + number), at: noon - age, flow: "orders", build: 8, lifetime: 7 * day))
        }
        #expect(try store.live().first { $0.build.number == 8 }?.ages == [2, 2, 2, 2])
    }
}
