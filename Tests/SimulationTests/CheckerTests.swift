import Testing

@Suite struct `The checker` {
    /// Seeds that may pass before a broken promise is noticed.
    private static let patience: UInt64 = 60

    @Test(arguments: Mutation.allCases)
    func `notices a broken promise`(_ mutation: Mutation) async throws {
        for seed in 1...Self.patience {
            let violations = Checker(try await World(seed: seed, mutation: mutation).run()).violations
            if let first = violations.first {
                print("\(mutation): noticed with seed \(seed): \(first.prefix(160))")
                return
            }
        }
        Issue.record("\(mutation) was not noticed within \(Self.patience) seeds")
    }
}
