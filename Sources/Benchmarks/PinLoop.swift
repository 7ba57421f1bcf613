#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import Rollouts
import RouteContract
import Storage

/// Raised on one thread, waited for on another.
///
/// `@unchecked Sendable`: a semaphore is made for that.
final class PinSignal: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func raise() { sem_post(semaphore) }
    func wait() { sem_wait(semaphore) }
    /// Asking takes the signal.
    var isRaised: Bool { sem_trywait(semaphore) == 0 }
}

/// One loop that keeps a number of starts in flight.
///
/// `@unchecked Sendable`: completions only touch the signal and a place of their own in `ended`.
final class PinLoop: @unchecked Sendable {
    static var now: Int64 { wallClockMilliseconds() }

    private let store: Store
    private let inFlight: Int
    private let answered = PinSignal()
    private var nextTime: Int64
    private var sequence: UInt64 = 0
    private var random = PinRandom()
    private var began: [UInt64] = []
    private var ended: UnsafeMutablePointer<UInt64>?
    private let choices = JourneyChoices([
        ("trips.edit", Choice(renderer: .migrated, reason: .share)),
        ("trips.list", Choice(renderer: .legacy, reason: .stage)),
    ])

    init(store: Store, inFlight: Int, firstTime: Int64) {
        self.store = store
        self.inFlight = inFlight
        nextTime = firstTime
    }

    deinit {
        ended?.deallocate()
    }

    /// Starts that many journeys and waits for all. Fails when one was not stored: a refusal is quick.
    func start(_ count: Int) throws {
        ended?.deallocate()
        let places = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        places.initialize(repeating: 0, count: count)
        ended = places
        began = []
        began.reserveCapacity(count)
        let address = UInt(bitPattern: places)
        for index in 0..<count {
            if index >= inFlight { answered.wait() }
            let draft = draft()
            began.append(pinNanoseconds())
            store.startJourney(draft) { [self] outcome in
                if case .committed(let started) = outcome, started.isNew {
                    UnsafeMutablePointer<UInt64>(bitPattern: address)?[index] = pinNanoseconds()
                }
                answered.raise()
            }
        }
        for _ in 0..<min(inFlight, count) { answered.wait() }
        let refused = (0..<count).count { places[$0] == 0 }
        guard refused == 0 else { throw BenchmarkError("\(refused) of \(count) journeys were not stored") }
    }

    /// Milliseconds within which that part of the last starts was answered.
    func latency(_ part: Double) -> Double {
        guard let ended else { return 0 }
        let times = began.indices.map { ended[$0] &- began[$0] }.sorted()
        return Double(times[min(Int(Double(times.count) * part), times.count - 1)]) / 1e6
    }

    /// A journey as an app would start it: 60 a millisecond, ids not quite in order.
    private func draft() -> JourneyDraft {
        sequence += 1
        if sequence % 60 == 0 { nextTime += 1 }
        let bits = random.next()
        let id = JourneyID(
            milliseconds: nextTime - Int64(bits & 15), randomA: UInt16(truncatingIfNeeded: bits >> 8),
            randomB: random.next())
        return JourneyDraft(
            id: id, flow: "trips", unit: "dGhpcyBpcyBhIHVuaXQhIQ", build: BuildID(app: "app", number: 730), epoch: 1,
            revision: 42, startedAt: nextTime, expiresAt: nextTime + 86_400_000, choices: choices)
    }
}

/// Cheap numbers: the system's cost more than a pin's share of a commit.
struct PinRandom {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
