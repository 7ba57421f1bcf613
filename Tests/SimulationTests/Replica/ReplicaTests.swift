import Foundation
import Testing

/// `SIGNALBOX_COMMANDS` says how many commands a run has: 10 000 are the long form, after which every kind of command must
/// have changed something in some run. `SIGNALBOX_SEED` repeats one and prints what was asked in it last.
@Suite struct `A replica` {
    private static let environment = ProcessInfo.processInfo.environment
    private static let one = environment["SIGNALBOX_SEED"].flatMap { UInt64($0) }
    private static let commands = environment["SIGNALBOX_COMMANDS"].flatMap { Int($0) }
    private static let seeds: UInt64 = commands == nil ? 3 : 4

    @Test func `that follows the audit has what the store has, after every crash`() async throws {
        let began = ContinuousClock.now
        let seeds = Self.one.map { $0...$0 } ?? 1...Self.seeds
        var total = ReplicaFigures()
        try await withThrowingTaskGroup(of: ReplicaFigures.self) { group in
            for lane in 0..<2 as Range<UInt64> {
                group.addTask {
                    var figures = ReplicaFigures()
                    for seed in seeds where seed % 2 == lane { figures.add(try await Self.run(seed)) }
                    return figures
                }
            }
            for try await figures in group { total.add(figures) }
        }
        print("replica: \(total) in \(ContinuousClock.now - began)")
        if Self.commands ?? 0 >= 10_000, Self.one == nil {
            #expect(total.neverAccepted == [], "These changed nothing in any run.")
        }
    }

    private static func run(_ seed: UInt64) async throws -> ReplicaFigures {
        let run = try await ReplicaRun(seed: seed)
        await run.run(commands: commands ?? 1_000)
        if !run.faults.isEmpty {
            print(run.log.suffix(one == nil ? 5 : 200).joined(separator: "\n"))
            Issue.record("repeat with SIGNALBOX_SEED=\(seed): \(run.faults.prefix(3).joined(separator: "\n"))")
        }
        return run.figures
    }
}
