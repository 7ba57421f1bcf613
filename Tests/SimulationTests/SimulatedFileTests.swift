import Testing

@Suite struct `A simulated file` {
    private func file() -> SimulatedFile {
        var file = SimulatedFile()
        file.write(.bytes([1, 2, 3], at: 0))
        file.sync()
        file.write(.bytes([9, 9], at: 2))
        return file
    }

    @Test func `reads what was written, synced or not`() {
        var file = file()
        #expect(file.seen == [1, 2, 9, 9])
        file.write(.length(1))
        #expect(file.seen == [1])
        file.write(.bytes([7], at: 3))
        #expect(file.seen == [1, 0, 0, 7])
    }

    @Test func `keeps through a power cut what was synced, and of the rest each write or not`() {
        var left: Set<[UInt8]> = []
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            if let cut = file().afterPowerCut(&random) { left.insert(cut.seen) }
        }
        #expect(left == [[1, 2, 3], [1, 2, 9, 9]])
    }

    @Test func `that was never synced may be gone`() {
        var file = SimulatedFile()
        file.write(.bytes([1], at: 0))
        let isGone = (1...20 as ClosedRange<UInt64>).map { seed in
            var random = SeededRandom(seed: seed)
            return file.afterPowerCut(&random) == nil
        }
        #expect(isGone.contains(true) && isGone.contains(false))
    }

    @Test func `does not get back by a later sync what a failed one has lost`() {
        let kept = (1...20 as ClosedRange<UInt64>).map { seed in
            var (file, random) = (file(), SeededRandom(seed: seed))
            file.failSync(&random)
            file.sync()
            #expect(file.seen == [1, 2, 9, 9])
            return file.durable
        }
        #expect(Set(kept) == [[1, 2, 3], [1, 2, 9, 9]])
    }
}
