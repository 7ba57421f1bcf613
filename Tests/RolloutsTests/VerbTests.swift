import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A route on its way` {
    private func route(_ stage: Stage, step: Int = 0, healthy: Int = 0) -> RouteRollout {
        var route = RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)
        route.plan = .ladder
        route.stage = stage
        route.step = step
        route.highestHealthyStep = healthy
        return route
    }

    private func rolledBack(from stage: Stage, step: Int = 0, healthy: Int = 0) throws -> RouteRollout {
        var route = route(stage, step: step, healthy: healthy)
        try route.apply(.rollback, because: "crash", at: noon + day)
        return route
    }

    @Test func `climbs the ladder step by step and then goes on to the next stage`() throws {
        var route = route(.compatible)
        var seen: [NextMove] = []
        while route.stage != .oldDeleted {
            seen.append(try #require(route.nextMove))
            try route.apply(.advance(isForced: false), because: "go", at: noon)
        }
        #expect(
            seen == [
                .stage(.partialRollout), .step(2), .step(3), .step(4), .stage(.defaultNew), .stage(.oldDisabled),
                .stage(.oldDeleted),
            ])
        #expect(route.nextMove == nil)
        #expect(route.highestHealthyStep == 4)
    }

    @Test func `knows since when it is in its stage and at its step`() throws {
        var route = route(.compatible)
        try route.apply(.advance(isForced: false), because: "go", at: noon + day)
        try route.apply(.advance(isForced: false), because: "go", at: noon + 2 * day)
        #expect(route.stageSince == noon + day)
        #expect(route.stepSince == noon + 2 * day)
        try route.apply(.hold, because: "wait", at: noon + 3 * day)
        #expect(route.stepSince == noon + 2 * day)
    }

    @Test func `without a plan stands at no step, until there is one to advance to`() throws {
        var route = route(.compatible)
        route.plan = nil
        try route.apply(.advance(isForced: true), because: "go", at: noon)
        #expect(route.stage == .partialRollout && route.step == 0)
        route.plan = .ladder
        #expect(route.nextMove == .step(1))
    }

    @Test func `that retreats below the ladder starts over`() throws {
        var route = route(.partialRollout, step: 3, healthy: 2)
        try route.apply(.retreat, because: "redesign", at: noon)
        #expect(route.stage == .compatible && route.step == 0 && route.highestHealthyStep == 0)
        #expect(route.flipBacks == 0)
    }

    @Test(arguments: [Stage.compatible, .partialRollout, .defaultNew, .oldDisabled])
    func `that is rolled back remembers from where and counts it`(stage: Stage) throws {
        let route = try rolledBack(from: stage, step: stage == .partialRollout ? 2 : 0)
        #expect(route.status == .rolledBack && route.step == 0)
        #expect(route.rolledBackFrom == stage && route.flipBacks == 1)
        var again = route
        try again.apply(.rollback, because: "crash", at: noon + 2 * day)
        #expect(again == route)
    }

    @Test func `counts flip-backs without ever overflowing`() throws {
        var route = route(.partialRollout, step: 1)
        route.flipBacks = .max
        try route.apply(.rollback, because: "crash", at: noon)
        #expect(route.flipBacks == .max)
    }

    @Test(arguments: [nil, "", "  "]) func `is not resumed after a rollback without a cause`(cause: String?) throws {
        var route = try rolledBack(from: .partialRollout, step: 2, healthy: 1)
        let error = #expect(throws: RolloutError.self) {
            try route.apply(.resume(cause: cause, step: nil), because: "go", at: noon)
        }
        #expect(error?.code == .causeRequired)
    }

    @Test(
        arguments: [
            // highest healthy step, step asked for, step it goes on at; nil is refused
            (0, nil, 1), (0, 1, 1), (0, 2, nil), (2, nil, 1), (2, 2, 2), (2, 3, nil), (2, 0, nil), (2, -1, nil),
            (2, Int.max, nil), (4, 4, 4), (9, 5, nil),
        ] as [(Int, Int?, Int?)])
    func `is resumed at step 1 or at one that was healthy`(healthy: Int, named: Int?, expected: Int?) throws {
        var route = try rolledBack(from: .defaultNew, healthy: healthy)
        do throws(RolloutError) {
            try route.apply(.resume(cause: "fixed in 731", step: named), because: "go", at: noon)
            #expect(route.step == expected && route.status == .active && route.rolledBackFrom == nil)
        } catch {
            #expect(error.code == .stepNotHealthy && expected == nil)
        }
    }

    @Test(arguments: [(nil, true), (2, true), (1, false), (3, false)] as [(Int?, Bool)])
    func `that is held goes on where it stood`(named: Int?, isAccepted: Bool) throws {
        var route = route(.partialRollout, step: 2, healthy: 1)
        try route.apply(.hold, because: "wait", at: noon)
        let resumed = Result { try route.apply(.resume(cause: nil, step: named), because: "go", at: noon) }
        #expect(((try? resumed.get()) != nil) == isAccepted)
        #expect(route.step == 2 && route.status == (isAccepted ? .active : .held))
    }

    @Test func `that became an island says who answers for it and comes back to compatible`() throws {
        var route = try rolledBack(from: .defaultNew, healthy: 4)
        try route.apply(.island(owner: "ana", reviewDate: "2031-01-31"), because: "rarely used", at: noon)
        #expect(route.island == Island(owner: "ana", reason: "rarely used", reviewDate: "2031-01-31"))
        try route.apply(.resume(cause: nil, step: nil), because: "budget", at: noon)
        #expect(route.stage == .compatible && route.status == .active && route.step == 0)
        #expect(route.island == nil && route.rolledBackFrom == nil && route.highestHealthyStep == 0)
    }

    @Test(arguments: [("", "2031-01-31"), ("ana", "31.1.2031"), ("ana", "2031-02-29"), ("ana", "")])
    func `becomes no island without an owner and a day`(owner: String, reviewDate: String) {
        var route = route(.compatible)
        let error = #expect(throws: RolloutError.self) {
            try route.apply(.island(owner: owner, reviewDate: reviewDate), because: "rare", at: noon)
        }
        #expect(error?.code == .invalidField)
    }
}

@Suite struct `An island` {
    private func island(until date: String = "2031-01-31") throws -> RouteRollout {
        var route = RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)
        try route.apply(.island(owner: "ana", reviewDate: date), because: "rare", at: noon)
        return route
    }

    @Test func `is renewed with another owner, reason and day`() throws {
        var route = try island()
        #expect(route.legalVerbs.contains("island"))
        try route.apply(.island(owner: "bob", reviewDate: "2032-01-31"), because: "still rare", at: noon + 400 * day)
        #expect(route.island == Island(owner: "bob", reason: "still rare", reviewDate: "2032-01-31"))
        #expect(route.status == .island && route.stageSince == noon)
    }

    @Test func `that is said again is a repeat, also when its day is past`() throws {
        var route = try island()
        let before = route
        try route.apply(.island(owner: "ana", reviewDate: "2031-01-31"), because: "again", at: noon + 400 * day)
        #expect(route == before)
    }

    // Noon of the tests is 17 March 2030.
    @Test(arguments: ["2030-03-17", "2030-03-16", "2029-12-31", "2031-02-29", "2031-13-01", "soon", ""])
    func `has a day of review that is to come`(date: String) throws {
        let error = #expect(throws: RolloutError.self) { try island(until: date) }
        #expect(error?.code == .invalidField && error?.details["path"] == "/reviewDate")
        var renewed = try island(until: "2030-03-18")
        #expect(throws: RolloutError.self) {
            try renewed.apply(.island(owner: "bob", reviewDate: date), because: "x", at: noon)
        }
    }
}

@Suite struct `A calendar day` {
    @Test(
        arguments: [
            (0, "1970-01-01"), (86_399_999, "1970-01-01"), (86_400_000, "1970-01-02"), (951_782_400_000, "2000-02-29"),
            (1_709_164_800_000, "2024-02-29"), (1_709_251_200_000, "2024-03-01"), (1_900_000_000_000, "2030-03-17"),
            (4_107_542_400_000, "2100-03-01"), (1_767_225_599_999, "2025-12-31"),
        ] as [(Int64, String)])
    func `is known of a time`(milliseconds: Int64, text: String) {
        #expect(CalendarDay(of: milliseconds) == CalendarDay(text))
    }
}

@Suite struct `A rollback's level` {
    private func rolledBack(_ levels: RollbackLevel?...) throws -> RouteRollout {
        var route = RouteRollout(key: "trips.edit", flow: "trips", createdAt: noon)
        (route.plan, route.stage, route.step) = (.ladder, .partialRollout, 2)
        for level in levels { try route.apply(.rollBack(level: level, scope: nil), because: "crash", at: noon) }
        return route
    }

    @Test(
        arguments: [
            ([nil], .drain), ([.abort], .abort), ([nil, .repinOnResume], .repinOnResume), ([.drain, .abort], .abort),
            ([.abort, .drain], .abort), ([.abort, nil], .abort), ([.repinOnResume, .abort, .repinOnResume], .abort),
        ] as [([RollbackLevel?], RollbackLevel)])
    func `is only raised while it stands`(levels: [RollbackLevel?], expected: RollbackLevel) throws {
        var route = try rolledBack()
        for level in levels { try route.apply(.rollBack(level: level, scope: nil), because: "crash", at: noon) }
        #expect(route.rollbackLevel == expected && route.flipBacks == 1)
    }

    @Test func `ends with the rollback`() throws {
        var route = try rolledBack(.abort)
        var island = route
        try island.apply(.island(owner: "ana", reviewDate: "2031-01-31"), because: "rare", at: noon)
        #expect(island.rollbackLevel == .drain)
        try route.apply(.resume(cause: "fixed", step: nil), because: "go", at: noon)
        #expect(route.rollbackLevel == .drain)
        try route.apply(.rollback, because: "crash", at: noon)
        #expect(route.rollbackLevel == .drain)
    }

    @Test func `is stored, and drain in what was stored before there were levels`() throws {
        let route = try rolledBack(.repinOnResume)
        #expect(try RouteRollout(json: route.json) == route)
        #expect(try rolledBack(nil).json["rollbackLevel"] == nil)
    }
}
