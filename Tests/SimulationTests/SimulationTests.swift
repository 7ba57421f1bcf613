import Foundation
import Testing

/// Runs with seeds from 1. `SIGNALBOX_SEEDS` says how many, `SIGNALBOX_SEED` repeats one and prints what happened in it.
@Suite struct `A simulated service` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let one = environment["SIGNALBOX_SEED"].flatMap { UInt64($0) }
    private static let seeds = environment["SIGNALBOX_SEEDS"].flatMap { UInt64($0) } ?? 200

    @Test func `keeps its promises under faults, crashes and wrong clocks`() async throws {
        if let seed = Self.one {
            let history = try await World(seed: seed).run()
            print(history.log.joined(separator: "\n"))
            let violations = Checker(history).violations
            #expect(violations.isEmpty, "\(violations.joined(separator: "\n"))")
            return
        }
        let began = ContinuousClock.now
        var total = Figures()
        try await withThrowingTaskGroup(of: Figures.self) { group in
            for lane in 0..<2 as Range<UInt64> {
                group.addTask {
                    var figures = Figures()
                    for seed in stride(from: 1 + lane, through: Self.seeds, by: 2) { try await figures.add(seed) }
                    return figures
                }
            }
            for try await figures in group { total.add(figures) }
        }
        print("simulation: \(total) in \(ContinuousClock.now - began)")
        #expect(total.failed.isEmpty, "repeat with SIGNALBOX_SEED=\(total.failed.first ?? 0); all: \(total.failed)")
    }

    @Test(arguments: [1, 7, 42] as [UInt64])
    func `does the same again for the same seed`(_ seed: UInt64) async throws {
        let first = try await World(seed: seed).run()
        let second = try await World(seed: seed).run()
        #expect(first.log == second.log)
        #expect(first.audit == second.audit)
    }
}

/// What a number of runs came to.
private struct Figures: CustomStringConvertible {
    var runs = 0
    var failed: [UInt64] = []
    private var asked = 0
    private var inDoubt = 0
    private var restarts = 0

    mutating func add(_ seed: UInt64) async throws {
        let history = try await World(seed: seed).run()
        let violations = Checker(history).violations
        if !violations.isEmpty {
            failed.append(seed)
            print("SIGNALBOX_SEED=\(seed): \(violations.prefix(3).joined(separator: "\n    "))")
        }
        runs += 1
        asked += history.exchanges.count
        inDoubt += history.exchanges.filter { $0.answer == nil }.count
        restarts += history.log.filter { $0.contains(" restart after ") }.count
    }

    mutating func add(_ other: Figures) {
        runs += other.runs
        failed += other.failed
        asked += other.asked
        inDoubt += other.inDoubt
        restarts += other.restarts
    }

    var description: String {
        "\(runs) seeds, \(asked) requests, \(inDoubt) in doubt, \(restarts) restarts, \(failed.count) failed"
    }
}
