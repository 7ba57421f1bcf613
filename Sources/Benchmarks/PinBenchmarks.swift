import Rollouts
import RouteContract
import Storage

/// Pins a second at synchronous=FULL with the shipped schema and a million rows, against the disk's own rate of syncs.
func pinBenchmarks() {
    do {
        let folder = try PinFolder()
        defer { folder.remove() }
        let bench = PinBench(folder: folder)
        try bench.preload(journeys: 1_000_000)
        try bench.reportOpening()
        try bench.reportCounting()
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
        let begin = pinNanoseconds()
        let run = PinLoop(store: store, inFlight: 8_192, firstTime: PinLoop.now - 3_600_000)
        try run.start(journeys)
        let seconds = Double(pinNanoseconds() - begin) / 1e9
        print("pins: stored \(journeys) journeys, 8192 in flight, in \(rounded(seconds)) s")
    }

    func reportOpening() throws {
        var milliseconds: [Double] = []
        for _ in 1...5 {
            let begin = pinNanoseconds()
            let store = try Store.open(at: folder.database)
            milliseconds.append(Double(pinNanoseconds() - begin) / 1e6)
            store.close()
        }
        print("pins: open to ready with 1 M journeys: \(rounded(benchmarkMedian(milliseconds))) ms (target 300)")
    }

    /// The drain view of a flow with a million live journeys, and how long a read by id waits behind it.
    func reportCounting() throws {
        let store = try Store.open(at: folder.database)
        defer { store.close() }
        let done = PinSignal()
        let begin = pinNanoseconds()
        let counted = PinSignal()
        store.liveJourneys(at: PinLoop.now) { outcome in
            let seconds = Double(pinNanoseconds() - begin) / 1e9
            print(
                "pins: counted \(outcome.value?.journeys.first?.count ?? 0) live journeys in \(rounded(seconds)) s",
                terminator: "")
            counted.raise()
        }
        var waits: [Double] = []
        while !counted.isRaised {
            let asked = pinNanoseconds()
            store.journey(JourneyID(milliseconds: 0, randomA: 0, randomB: 0)) { _ in done.raise() }
            done.wait()
            waits.append(Double(pinNanoseconds() - asked) / 1e6)
        }
        print("; a read meanwhile waits \(rounded(benchmarkMedian(waits))) ms")
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
        var slowSyncs: [Double] = []
        let run = PinLoop(store: store, inFlight: inFlight, firstTime: PinLoop.now)
        try run.start(pins / 10)
        for _ in 1...rounds {
            let before = folder.syncsPerSecond()
            let begin = pinNanoseconds()
            try run.start(pins)
            let rate = Double(pins) / (Double(pinNanoseconds() - begin) / 1e9)
            let after = folder.syncsPerSecond()
            let syncRate = (before.rate + after.rate) / 2
            syncs.append(syncRate)
            slowSyncs.append((before.p99 + after.p99) / 2)
            rates.append(rate)
            ratios.append(rate / syncRate)
            middle.append(run.latency(0.5))
            slow.append(run.latency(0.99))
        }
        print(
            "pins: \(Int(benchmarkMedian(rates)))/s at FULL, \(inFlight) in flight;",
            "fdatasync \(Int(benchmarkMedian(syncs)))/s, its p99 \(rounded(benchmarkMedian(slowSyncs))) ms;",
            "ratio \(rounded(benchmarkMedian(ratios))) (target 5);",
            "p50 \(rounded(benchmarkMedian(middle))) ms, p99 \(rounded(benchmarkMedian(slow))) ms (target 3)")
    }
}

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
