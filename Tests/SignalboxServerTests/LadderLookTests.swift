import Testing

@testable import SignalboxServer

@Suite struct `A look at ladders` {
    private static let day: Int64 = 86_400_000
    private static let noon = TestService.noon

    @Test func `believes what came before it: a look, or an outage`() {
        var look = LadderLook(lastAlive: Self.noon - 6 * Self.day)
        #expect(look.look(at: Self.noon) == Self.noon - 6 * Self.day)
        #expect(look.look(at: Self.noon + 2_000) == Self.noon)
        #expect(look.look(at: Self.noon + 62_000) == Self.noon + 2_000)
    }

    @Test(arguments: [60_001, 3_600_000, 400 * 86_400_000, .max - TestService.noon] as [Int64])
    func `takes a gap within one process for a clock that jumped`(gap: Int64) {
        var look = LadderLook(lastAlive: Self.noon)
        _ = look.look(at: Self.noon)
        #expect(look.look(at: Self.noon + gap) == Self.noon + gap)
    }

    @Test func `takes an outage of more than a week for a clock that is wrong`() {
        var look = LadderLook(lastAlive: Self.noon - 8 * Self.day)
        #expect(look.look(at: Self.noon) == Self.noon)
        var early = LadderLook(lastAlive: .min)
        #expect(early.look(at: Self.noon) == Self.noon)
    }

    /// The older look is the safer one to go by.
    @Test func `goes by the older time when the clock was set back`() {
        var look = LadderLook(lastAlive: Self.noon)
        #expect(look.look(at: Self.noon - Self.day) == Self.noon)
        #expect(look.look(at: Self.noon - Self.day + 2_000) == Self.noon - Self.day)
    }
}
