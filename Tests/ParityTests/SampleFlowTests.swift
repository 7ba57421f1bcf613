import FlagEvaluation
import Parity
import RouteContract
import Testing

@MainActor
@Suite struct `The sample flows` {
    static let required: Set<ParityDimension> = [.events, .accessibility, .states, .entries, .text]

    func compare<R, O>(
        _ scenario: SampleScenario<R, O>, changing change: (inout SampleScenario<R, O>.Doing) -> Void = { _ in }
    ) -> ParityComparison {
        ParityComparison(
            old: scenario.recording(.legacy), new: scenario.recording(.migrated, changing: change),
            secondOld: scenario.recording(.legacy, run: 2), requiring: Self.required, today: "2026-11-30")
    }

    @Test(arguments: 0..<4)
    func `do the same in both entries of orders`(_ index: Int) {
        let comparison = compare(SampleScenarios.orders[index])
        #expect(comparison.verdict == .pass, "\(comparison.failures)")
        #expect(comparison.control == .pass)
    }

    @Test(arguments: 0..<2)
    func `do the same in both entries of trips`(_ index: Int) {
        let comparison = compare(SampleScenarios.trips[index])
        #expect(comparison.verdict == .pass, "\(comparison.failures)")
        #expect(comparison.control == .pass)
    }

    typealias Doing = SampleScenarios.Trips.Doing

    nonisolated static let faults: [Row<Doing>] = [
        .init("accessibility missing action.cancel") { doing in
            doing.contents = { contents in
                var contents = contents
                contents.actions.removeAll { $0 == "cancel" }
                return contents
            }
        },
        .init("events count finished") { $0.events = { $0 + $0 } },
        .init("events type finished/success") { doing in
            doing.events = { events in
                events.map { event in
                    var event = event
                    event.props["success"] = 1
                    return event
                }
            }
        },
        .init("accessibility order") { doing in
            doing.contents = { contents in
                var contents = contents
                contents.actions.reverse()
                return contents
            }
        },
    ]

    @Test(arguments: faults)
    func `fail when a migrated entry loses an action, says a thing twice or otherwise, or reorders focus`(
        _ fault: Row<Doing>
    ) throws {
        let comparison = compare(SampleScenarios.trips[1]) { fault.change(&$0) }
        #expect(comparison.verdict == .fail)
        #expect(comparison.failures.contains { $0.hasPrefix(fault.words) }, "\(comparison.failures)")
    }
}
