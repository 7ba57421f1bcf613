import Testing

@testable import RouteContract

@Suite struct `A resumed journey` {
    private func offer(
        _ build: RendererSet = .both, flag: Renderer = .legacy, status: RouteStatus = .active, aborts: Bool = false,
        repins: Bool = false, redecides: Bool = false
    ) -> RouteOffer {
        RouteOffer(
            route: "a",
            input: ChoiceInput(
                stage: .partialRollout, status: status, flag: FlagDecision(flag, by: .share), inBuild: build),
            aborts: aborts, repins: repins, redecides: redecides)
    }

    private static func share(_ renderer: Renderer) -> Choice { Choice(renderer: renderer, reason: .share) }

    /// What was pinned, what the route offers, whether the process died, and what comes of it.
    private typealias Row = (pinned: Choice?, offer: RouteOffer, died: Bool, result: Resumption)

    @Test func `keeps its choices, or gets others for a reason`() {
        let (legacy, migrated) = (Self.share(.legacy), Self.share(.migrated))
        let only = Choice(renderer: .migrated, reason: .onlyRendererInBuild)
        func opens(_ reason: SegmentReason, _ choice: Choice?) -> Resumption {
            .opens(reason, choice.map { ["a": $0] } ?? [:])
        }
        let unavailable = { Choice(renderer: $0, reason: .pinnedRendererUnavailable) }
        let crash = Choice(renderer: .legacy, reason: .crashLoopBreaker)
        let rolledBack = Choice(renderer: .legacy, reason: .rolledBack)
        let table: [Row] = [
            // Whatever the flag says now.
            (legacy, offer(flag: .migrated), false, .stands), (migrated, offer(), false, .stands),
            (migrated, offer(status: .rolledBack), false, .stands),
            // A build that lacks it.
            (migrated, offer(.legacy), false, opens(.pinnedRendererUnavailable, unavailable(.legacy))),
            (legacy, offer(.migrated), false, opens(.pinnedRendererUnavailable, unavailable(.migrated))),
            (legacy, offer([]), false, opens(.pinnedRendererUnavailable, nil)),
            // A process that died.
            (migrated, offer(), true, opens(.crashLoopBreaker, crash)), (legacy, offer(), true, .stands),
            (migrated, offer(.migrated), true, .stands),
            (crash, offer(flag: .migrated, redecides: true), false, .stands),
            // A rollback that reaches live journeys.
            (migrated, offer(status: .rolledBack, repins: true), false, opens(.repinOnResume, rolledBack)),
            (legacy, offer(status: .rolledBack, repins: true), false, .stands),
            (only, offer(.migrated, status: .rolledBack, repins: true), false, .stands),
            (migrated, offer(status: .rolledBack, aborts: true, repins: true), false, .ends),
            (migrated, offer(status: .rolledBack, aborts: true, repins: true), true, .ends),
            (legacy, offer(status: .rolledBack, aborts: true, repins: true), false, .stands),
            (only, offer(.migrated, status: .rolledBack, aborts: true, repins: true), false, .stands),
            // A policy.
            (legacy, offer(flag: .migrated, redecides: true), false, opens(.redecide, migrated)),
            (migrated, offer(flag: .migrated, redecides: true), false, .stands),
            (migrated, offer(flag: .migrated, redecides: true), true, opens(.crashLoopBreaker, crash)),
            // A screen that came with an update.
            (nil, offer(flag: .migrated), false, opens(.redecide, migrated)), (nil, offer([]), false, .stands),
        ]
        for row in table {
            let result = Resumption(
                of: row.pinned.map { ["a": $0] } ?? [:], offers: [row.offer], lastProcessDied: row.died)
            #expect(result == row.result, "\(row)")
        }
    }

    @Test func `tells the strongest of several reasons, and leaves what it does not know alone`() {
        var other = RouteOffer(route: "b", input: ChoiceInput(inBuild: .migrated))
        var pinned = ["a": Self.share(.migrated), "b": Self.share(.legacy), "c": Self.share(.migrated)]
        let result = Resumption(of: pinned, offers: [offer(), other], lastProcessDied: true)
        guard case .opens(.crashLoopBreaker, let choices) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(choices["a"]?.reason == .crashLoopBreaker && choices["b"]?.reason == .pinnedRendererUnavailable)
        #expect(choices["c"] == pinned["c"])
        pinned["b"] = Self.share(.migrated)
        other = RouteOffer(route: "b", input: ChoiceInput(inBuild: .both), aborts: true, repins: true)
        #expect(Resumption(of: pinned, offers: [offer(), other], lastProcessDied: false) == .ends)
    }

    /// The whole space of one route: what stands after a resume is in the build, and the same resume again changes
    /// nothing more.
    @Test func `never has a renderer that its build lacks, and settles at once`() {
        let pins: [Choice?] =
            [nil]
            + Renderer.allCases.flatMap { renderer in
                ChoiceReason.allCases.map { Choice(renderer: renderer, reason: $0) }
            }
        let flags = [false, true]
        var count = 0
        for pinned in pins {
            for build in (0...3).map(RendererSet.init(rawValue:)) {
                for status in RouteStatus.allCases {
                    for flag in Renderer.allCases {
                        for bits in 0..<16 {
                            let offer = offer(
                                build, flag: flag, status: status, aborts: flags[bits & 1],
                                repins: flags[bits >> 1 & 1],
                                redecides: flags[bits >> 2 & 1])
                            let died = flags[bits >> 3]
                            let before = pinned.map { ["a": $0] } ?? [:]
                            let result = Resumption(of: before, offers: [offer], lastProcessDied: died)
                            count += 1
                            let after: [String: Choice]
                            switch result {
                            case .stands: after = before
                            case .opens(_, let choices): after = choices
                            case .ends:
                                #expect(offer.aborts && pinned?.renderer == .migrated)
                                continue
                            }
                            #expect(after["a"].map { build.contains($0.renderer) } ?? true)
                            #expect(before["a"] != nil || result != .stands || build.isEmpty)
                            let again = Resumption(
                                of: after, offers: [offer], lastProcessDied: died && pinned != nil)
                            if offer.redecides || again == .ends { continue }
                            #expect(again == .stands, "\(before) \(offer) \(died)")
                        }
                    }
                }
            }
        }
        #expect(count > 10_000)
    }

    @Test func `has what its parent has, unless a rollback tells that to leave or the build lacks it`() {
        let (legacy, migrated) = (Self.share(.legacy), Self.share(.migrated))
        let pinned = { Choice(renderer: $0, reason: .pinned) }
        #expect(offer().choice(inheriting: migrated) == pinned(.migrated))
        #expect(offer(flag: .migrated).choice(inheriting: legacy) == pinned(.legacy))
        #expect(offer().choice(inheriting: nil) == legacy)
        #expect(offer(.legacy).choice(inheriting: migrated)?.reason == .pinnedRendererUnavailable)
        #expect(offer(status: .rolledBack).choice(inheriting: migrated) == pinned(.migrated))
        for (aborts, repins) in [(false, true), (true, true)] {
            let route = offer(status: .rolledBack, aborts: aborts, repins: repins)
            #expect(route.choice(inheriting: migrated)?.reason == .rolledBack)
        }
    }
}
