import Rollouts
import RouteContract
import Testing

@testable import Storage

@Suite struct `A sweep` {
    private let folder: TestFolder
    private let store: Store

    init() throws {
        folder = try TestFolder()
        store = try folder.open()
    }

    private func add(_ numbers: ClosedRange<UInt64>, at time: Int64, lifetime: Int64 = day) throws {
        let last = Answer { completion in
            for number in numbers {
                store.startJourney(draft(number, at: time, lifetime: lifetime)) { outcome in
                    if number == numbers.upperBound { completion(outcome) }
                }
            }
        }
        _ = try last.wait()
    }

    @Test func `deletes segments and outcomes whose id nobody would accept any more, and nothing younger`() throws {
        try add(1...10, at: noon - 8 * day - 1)
        try add(11...20, at: noon - 8 * day)
        _ = try store.finish(draft(1, at: noon - 8 * day - 1).id, as: JourneyOutcome(status: .completed))
        #expect(try store.sweepNow(at: noon) == SweepReport(deletedRows: 11, refusal: nil))
        #expect(try store.read(draft(1, at: noon - 8 * day - 1).id).value == .some(nil))
        #expect(try store.read(draft(11, at: noon - 8 * day).id).value??.segment == 1)
        #expect(try store.sweepNow(at: noon).deletedRows == 0)
    }

    @Test func `deletes in slices until all is gone`() throws {
        try add(1...1_700, at: noon - 9 * day)
        try add(2_000...2_100, at: noon)
        #expect(try store.sweepNow(at: noon).deletedRows == 1_700)
        #expect(try store.live().map(\.count) == [101, 101])
    }

    @Test func `lets a start pass between two slices`() throws {
        try add(1...1_700, at: noon - 9 * day)
        let order = Answer<Bool> { completion in
            let isStarted = AtomicFlag()
            store.inOneBatch {
                store.sweep(at: noon, isConfirmed: true) { _ in completion(isStarted.isSet) }
                store.startJourney(draft(5_000)) { _ in isStarted.set() }
            }
        }
        #expect(try order.wait())
    }

    @Test func `of a clock that jumped ahead empties nothing until a person confirms it`() throws {
        try add(1...30, at: noon)
        let jumped = noon + 30 * day
        let report = try store.sweepNow(at: jumped)
        #expect(report == SweepReport(deletedRows: 0, refusal: SweepRefusal(live: 30, affected: 30)))
        #expect(try store.sweepNow(at: jumped).refusal != nil)
        #expect(try store.read(draft(1).id).value??.segment == 1)
        #expect(try store.sweepNow(at: jumped, isConfirmed: true).deletedRows == 30)
    }

    @Test func `of a clock that jumped ahead over nothing does not come to believe it`() throws {
        #expect(try store.sweepNow(at: noon + 3_650 * day) == SweepReport(deletedRows: 0, refusal: nil))
        try add(1...30, at: noon)
        let refusal = SweepRefusal(live: 30, affected: 30)
        #expect(try store.sweepNow(at: noon + 3_650 * day).refusal == refusal)
        #expect(try store.sweepNow(at: noon + 30 * day).refusal == refusal)
    }

    @Test func `after a long pause goes on by itself when there are young journeys`() throws {
        try add(1...3, at: noon + 20 * day)
        #expect(try store.sweepNow(at: noon + 20 * day) == SweepReport(deletedRows: 0, refusal: nil))
        #expect(try store.sweepNow(at: noon + 28 * day + hour).refusal == SweepRefusal(live: 3, affected: 3))
        #expect(try store.sweepNow(at: noon + 21 * day) == SweepReport(deletedRows: 0, refusal: nil))
    }

    @Test func `deletes up to a tenth of what was live at the last one, and not more`() throws {
        // A sweep two days late: long journeys that began six and a half days before the last one were live then.
        try add(1...10, at: noon - 6 * day - 12 * hour, lifetime: 7 * day)
        try add(101...190, at: noon, lifetime: 7 * day)
        #expect(try store.sweepNow(at: noon + 2 * day).deletedRows == 10)
        try add(200...210, at: noon - 4 * day, lifetime: 7 * day)
        let refusal = SweepRefusal(live: 101, affected: 11)
        #expect(try store.sweepNow(at: noon + 4 * day + 12 * hour).refusal == refusal)
    }

    @Test func `counts a journey that was resumed once`() throws {
        let time = noon - 6 * day - 12 * hour
        try add(1...10, at: time, lifetime: 7 * day)
        try add(101...190, at: noon, lifetime: 7 * day)
        for number: UInt64 in 1...20 {
            let resume = JourneyResume(
                id: draft(1, at: time).id, attempt: JourneyID(milliseconds: noon, randomA: 1, randomB: number),
                build: BuildID(app: "app", number: 740), epoch: 1, revision: 9, now: noon,
                decide: { .opens(.redecide, $0.pin.choices) })
            _ = try store.resume(resume)
        }
        #expect(try store.sweepNow(at: noon + 2 * day) == SweepReport(deletedRows: 30, refusal: nil))
    }

    @Test func `on time needs no count, however few journeys there are`() throws {
        try add(1...3, at: noon - 8 * day - hour)
        #expect(try store.sweepNow(at: noon + hour).deletedRows == 3)
    }

    @Test func `believes the clock again with which journeys agree, and is cautious from then on`() throws {
        // What is in flight was started by the wrong clock too.
        try add(101...102, at: noon + 400 * day)
        #expect(try store.sweepNow(at: noon + 400 * day) == SweepReport(deletedRows: 0, refusal: nil))
        try add(1...30, at: noon)
        #expect(try store.sweepNow(at: noon + hour) == SweepReport(deletedRows: 0, refusal: nil))
        let refusal = SweepRefusal(live: 32, affected: 30)
        #expect(try store.sweepNow(at: noon + 400 * day + hour).refusal == refusal)
    }

    @Test func `leaves no deleted journey in the memory from which repeated asks are answered`() throws {
        try add(1...3, at: noon - 8 * day - hour)
        #expect(store.recentJourney(draft(1, at: noon - 8 * day - hour).id) != nil)
        #expect(try store.sweepNow(at: noon).deletedRows == 3)
        #expect(store.recentJourney(draft(1, at: noon - 8 * day - hour).id) == nil)
    }

    @Test func `of a clock that went back deletes nothing that is young`() throws {
        try add(1...3, at: noon - 9 * day)
        #expect(try store.sweepNow(at: noon - 30 * day) == SweepReport(deletedRows: 0, refusal: nil))
        #expect(try store.sweepNow(at: noon).deletedRows == 3)
    }
}
