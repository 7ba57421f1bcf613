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

/// Pins a second at synchronous=FULL with the shipped schema and a million rows, against the disk's own rate of syncs.
func pinBenchmarks() {
    do {
        let folder = PinFolder()
        defer { folder.remove() }
        let bench = PinBench(folder: folder)
        try bench.preload(journeys: 1_000_000)
        try bench.reportOpening()
        try bench.reportPins(rounds: 7, pins: 100_000, inFlight: 64)
    } catch {
        print("pins: \(error)")
    }
}

private struct PinBench {
    let folder: PinFolder

    /// Stores journeys through the store itself, thousands in flight.
    func preload(journeys: Int) throws {
        let store = try Store.open(at: folder.database)
        defer { store.close() }
        let begin = nanoseconds()
        let run = PinLoop(store: store, inFlight: 8_192, firstTime: PinLoop.now - 86_400_000)
        run.start(journeys)
        let seconds = Double(nanoseconds() - begin) / 1e9
        print("pins: stored \(journeys) journeys, 8192 in flight, in \(rounded(seconds)) s")
    }

    func reportOpening() throws {
        var milliseconds: [Double] = []
        for _ in 1...5 {
            let begin = nanoseconds()
            let store = try Store.open(at: folder.database)
            milliseconds.append(Double(nanoseconds() - begin) / 1e6)
            store.close()
        }
        print("pins: open to ready with 1 M journeys: \(rounded(median(milliseconds))) ms (target 300)")
    }

    /// Syncs and pins take turns, because the disk's rate changes from second to second.
    func reportPins(rounds: Int, pins: Int, inFlight: Int) throws {
        let store = try Store.open(at: folder.database)
        defer { store.close() }
        var syncs: [Double] = []
        var rates: [Double] = []
        var ratios: [Double] = []
        var middle: [Double] = []
        var slow: [Double] = []
        let run = PinLoop(store: store, inFlight: inFlight, firstTime: PinLoop.now)
        run.start(pins / 10)
        for _ in 1...rounds {
            let before = folder.syncsPerSecond()
            let begin = nanoseconds()
            run.start(pins)
            let rate = Double(pins) / (Double(nanoseconds() - begin) / 1e9)
            let after = folder.syncsPerSecond()
            syncs.append((before + after) / 2)
            rates.append(rate)
            ratios.append(rate / ((before + after) / 2))
            middle.append(run.latency(0.5))
            slow.append(run.latency(0.99))
        }
        print(
            "pins: \(Int(median(rates)))/s at FULL, \(inFlight) in flight; fdatasync \(Int(median(syncs)))/s;",
            "ratio \(rounded(median(ratios))) (target 5);",
            "p50 \(rounded(median(middle))) ms, p99 \(rounded(median(slow))) ms (target 3)")
    }
}

/// One loop that keeps a number of starts in flight.
///
/// `@unchecked Sendable`: completions only touch the semaphore and a place of their own in `ended`.
private final class PinLoop: @unchecked Sendable {
    static var now: Int64 { wallClockMilliseconds() }

    private let store: Store
    private let inFlight: Int
    private let answered: UnsafeMutablePointer<sem_t>
    private var nextTime: Int64
    private var sequence: UInt64 = 0
    private var random = SystemRandomNumberGenerator()
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
        answered = .allocate(capacity: 1)
        sem_init(answered, 0, 0)
    }

    deinit {
        sem_destroy(answered)
        answered.deallocate()
        ended?.deallocate()
    }

    /// Starts that many journeys and waits for all.
    func start(_ count: Int) {
        ended?.deallocate()
        let places = UnsafeMutablePointer<UInt64>.allocate(capacity: count)
        places.initialize(repeating: 0, count: count)
        ended = places
        began = []
        began.reserveCapacity(count)
        let address = UInt(bitPattern: places)
        for index in 0..<count {
            if index >= inFlight { sem_wait(answered) }
            let draft = draft()
            began.append(nanoseconds())
            store.startJourney(draft) { [self] outcome in
                if case .committed(let started) = outcome, started.isNew {
                    UnsafeMutablePointer<UInt64>(bitPattern: address)?[index] = nanoseconds()
                }
                sem_post(answered)
            }
        }
        for _ in 0..<min(inFlight, count) { sem_wait(answered) }
    }

    /// Milliseconds within which that part of the last starts was answered.
    func latency(_ part: Double) -> Double {
        guard let ended else { return 0 }
        let times = began.indices.map { ended[$0] > began[$0] ? ended[$0] - began[$0] : .max }.sorted()
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

/// A folder beside the build, on the file system whose syncs are measured.
private struct PinFolder {
    let path: String

    init() {
        path = "\(currentDirectory())/.build/pins-\(getpid())"
        mkdir(path, 0o700)
    }

    var database: String { path + "/pins.db" }

    func remove() {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(database + suffix) }
        unlink(path + "/syncs")
        rmdir(path)
    }

    /// The rate at which one thread can write a page and sync it.
    func syncsPerSecond() -> Double {
        let descriptor = open(path + "/syncs", O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4_096)
        for index in 0..<256 { pwrite(descriptor, page, page.count, off_t(index * page.count)) }
        fsync(descriptor)
        let count = 3_000
        let begin = nanoseconds()
        for index in 0..<count {
            pwrite(descriptor, page, page.count, off_t(index % 256 * page.count))
            fdatasync(descriptor)
        }
        return Double(count) / (Double(nanoseconds() - begin) / 1e9)
    }
}

private func currentDirectory() -> String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
}

private func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
