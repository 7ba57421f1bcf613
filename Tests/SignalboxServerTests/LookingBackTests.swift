import Synchronization
import Testing

@testable import SignalboxServer

@Suite struct `The places to look back` {
    /// All but one are taken, and several tasks ask for the last at once.
    @Test(arguments: [(LookingBack.change, 4), (.read, 2)])
    func `are never more than there are, whoever comes at once`(purpose: LookingBack, places: Int) async throws {
        let service = try TestService().service
        for _ in 1..<places { try #require(service.beginLookingBack(for: purpose)) }
        let (held, most, entries) = (Counter(), Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<1_000_000 where service.beginLookingBack(for: purpose) {
                        most.raise(to: held.add(1))
                        entries.add(1)
                        held.add(-1)
                        service.endLookingBack()
                    }
                }
            }
        }
        #expect(entries.value > 50_000)
        #expect(most.value == 1)
    }

    @Test func `are left to changes by half`() throws {
        let service = try TestService().service
        #expect(service.beginLookingBack(for: .read) && service.beginLookingBack(for: .read))
        #expect(!service.beginLookingBack(for: .read))
        #expect(service.beginLookingBack(for: .change) && service.beginLookingBack(for: .change))
        #expect(!service.beginLookingBack(for: .change))
        for _ in 0..<3 { service.endLookingBack() }
        #expect(service.beginLookingBack(for: .read))
    }
}

private final class Counter: Sendable {
    private let count = Atomic<Int>(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    @discardableResult
    func add(_ number: Int) -> Int { count.add(number, ordering: .sequentiallyConsistent).newValue }

    func raise(to number: Int) { count.max(number, ordering: .sequentiallyConsistent) }
}
