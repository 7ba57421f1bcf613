import FlagEvaluation
import Foundation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A forecast` {
    @Test func `of 300 routes at 5 % is linear in 20 releases of 15 routes`() {
        let forecast = Forecast(total: 300, done: 0, share: 5_000)
        #expect(forecast.routesPerRelease == 15)
        #expect(forecast.milestones(by: .linear).map(\.releases) == [10, 19, 19.8, 20])
        #expect(forecast.milestones(by: .linear).map(\.wholeReleases) == [10, 19, 20, 20])
    }

    /// Half after 13.5, 95 % after 58, 99 % after 90, and all, half a route left, after ln 600 / −ln 0.95.
    @Test func `of 300 routes at 5 % by random touching has a long end`() {
        let milestones = Forecast(total: 300, done: 0, share: 5_000).milestones(by: .randomTouching)
        let rounded = milestones.map { $0.releases.map { ($0 * 100).rounded() / 100 } }
        #expect(rounded == [13.51, 58.4, 89.78, 124.71])
        #expect(milestones.map(\.wholeReleases) == [14, 59, 90, 125])
    }

    @Test func `counts from now what is left, and from the start what there was`() {
        let forecast = Forecast(total: 300, done: 150, share: 5_000)
        #expect(forecast.milestones(by: .linear).map(\.releases) == [0, 9, 9.8, 10])
        #expect(forecast.fromStart == Forecast(total: 300, done: 0, share: 5_000))
        // What took the first half of the routes takes the next half of what is left.
        let (now, start) = (
            forecast.milestones(by: .randomTouching), forecast.fromStart.milestones(by: .randomTouching)
        )
        #expect(now[0].releases == 0)
        for (later, whole) in zip(now, start).dropFirst() {
            let half = start[0].releases ?? .nan
            #expect(abs((later.releases ?? .nan) - ((whole.releases ?? .nan) - half)) < 1e-9)
        }
    }

    @Test(
        arguments: [
            // No route, or none left: nothing is to do.
            (0, 0, 0, [0, 0, 0, 0], [0, 0, 0, 0]), (0, 0, 5_000, [0, 0, 0, 0], [0, 0, 0, 0]),
            (7, 7, 0, [0, 0, 0, 0], [0, 0, 0, 0]),
            // Nothing is touched: never, but for what is done already.
            (300, 0, 0, [nil, nil, nil, nil], [nil, nil, nil, nil]),
            (300, 150, 0, [0, nil, nil, nil], [0, nil, nil, nil]),
            // Everything is.
            (300, 0, 100_000, [1, 1, 1, 1], [1, 1, 1, 1]), (300, 299, 100_000, [0, 0, 0, 1], [0, 0, 0, 1]),
            // Half of 1 024 routes: halves need no rounding up.
            (1_024, 0, 50_000, [1, 2, 2, 2], [1, 5, 7, 11]),
            // 95 % at 95 % is one release, though the quotient of the logarithms lies above 1.
            (300, 0, 95_000, [1, 1, 2, 2], [1, 1, 2, 3]),
            // All are not done before 99 % are.
            (1, 0, 50_000, [1, 2, 2, 2], [1, 5, 7, 7]), (49, 0, 50_000, [1, 2, 2, 2], [1, 5, 7, 7]),
            (51, 0, 50_000, [1, 2, 2, 2], [1, 5, 7, 7]),
            // What is out of range counts as its end.
            (-5, 9, 5_000, [0, 0, 0, 0], [0, 0, 0, 0]), (10, 99, 5_000, [0, 0, 0, 0], [0, 0, 0, 0]),
            (10, -1, .max, [1, 1, 1, 1], [1, 1, 1, 1]), (10, 0, -1, [nil, nil, nil, nil], [nil, nil, nil, nil]),
        ] as [(Int, Int, Int, [Int?], [Int?])])
    func `has an honest answer at the edges`(
        total: Int, done: Int, share: Int, linear: [Int?], random: [Int?]
    ) {
        let forecast = Forecast(total: total, done: done, share: share)
        #expect(forecast.milestones(by: .linear).map(\.wholeReleases) == linear)
        #expect(forecast.milestones(by: .randomTouching).map(\.wholeReleases) == random)
    }

    @Test func `stays finite for the most routes and the least share`() throws {
        let forecast = Forecast(total: .max, done: 0, share: 1)
        #expect(forecast.total == Forecast.mostRoutes)
        #expect(forecast.milestones(by: .linear).last?.wholeReleases == 100_000)
        #expect(forecast.milestones(by: .randomTouching).last?.wholeReleases == 1_450_859)
        let json = JSONValue.object(forecast.json(intervalDays: 366, at: .max)).jsonText
        #expect(!json.contains("inf") && !json.contains("nan"))
        #expect(try JSONValue(parsing: json)["linear"]?["fromNow"]?.array?.allSatisfy { $0["at"] == .null } == true)
    }

    /// 1 000 of 100 000ths of a route are missing to 99 %: a thousandth of what a release moves.
    @Test func `does not call little nothing`() throws {
        let json = Forecast(total: 199, done: 197, share: 5_000).json(intervalDays: nil, at: noon)
        let milestones = json["linear"]?["fromNow"]?.array ?? []
        #expect(milestones.map { $0["releases"] } == [0, 0, .float(0.01), .float(0.2)])
        #expect(milestones.map { $0["wholeReleases"] } == [0, 0, 1, 1])
    }

    /// With the release that is named no more is left than is said, and with the one before it more.
    @Test(arguments: [(300, 0, 5_000), (300, 120, 5_000), (7, 2, 1), (90, 89, 33_333), (1_000_000, 0, 99_999)])
    func `names the first release with which it is so`(total: Int, done: Int, share: Int) {
        let forecast = Forecast(total: total, done: done, share: share)
        for milestone in forecast.milestones(by: .randomTouching) {
            guard let whole = milestone.wholeReleases, whole > 0 else { continue }
            let allowed =
                milestone.part == 100_000
                ? min(0.5, Double(total) / 100) : Double(total * (100_000 - milestone.part)) / 100_000
            let left = [whole, whole - 1].map { Double(total - done) * pow(1 - Double(share) / 100_000, Double($0)) }
            #expect(left[0] <= allowed * (1 + 1e-6) && left[1] > allowed)
        }
    }

    @Test func `has dates where releases have an interval, within a hundred years`() throws {
        let forecast = Forecast(total: 300, done: 0, share: 5_000)
        func dates(_ interval: Double?, _ model: String) -> [JSONValue?] {
            let json = forecast.json(intervalDays: interval, at: noon)
            return (json[model]?["fromNow"]?.array ?? []).map { $0["at"] }
        }
        #expect(dates(14, "linear").last == .integer(noon + 280 * day))
        #expect(
            dates(366, "randomTouching") == [.integer(noon + 14 * 366 * day), .integer(noon + 59 * 366 * day)]
                .map(Optional.some) + [.integer(noon + 90 * 366 * day), .null])
        #expect(dates(nil, "linear") == [.null, .null, .null, .null])
    }
}

@Suite struct `A programme` {
    @Test func `counts routes by stage, and islands apart`() throws {
        var configuration = try Configuration.example(at: .defaultNew)
        #expect(Programme(of: nil, to: .defaultNew, in: configuration).done == 1)
        #expect(Programme(of: nil, to: .defaultNew, in: configuration).routes.count == 3)
        #expect(Programme(of: nil, to: .oldDisabled, in: configuration).done == 0)
        let trips = Programme(of: "trips", to: .compatible, in: configuration)
        #expect((trips.done, trips.routes) == (1, ["trips.edit", "trips.list"]))
        configuration.routes["trips.list"]?.status = .island
        let rest = Programme(of: "trips", to: .defaultNew, in: configuration)
        #expect((rest.done, rest.islands, rest.routes) == (1, 1, ["trips.edit"]))
        configuration = try configuration.after(.move(.rollback))
        #expect(Programme(of: nil, to: .defaultNew, in: configuration).done == 0)
    }
}

@Suite struct `The pace of releases` {
    private static let both: Set<Renderer> = [.legacy, .migrated]

    private func configuration(_ builds: [(app: String, version: String, daysAgo: Int64?)]) throws -> Configuration {
        var configuration = try Configuration.example
        configuration.builds = [:]
        for (number, build) in builds.enumerated() {
            let id = BuildID(app: build.app, number: Int64(number))
            configuration.store(
                .build(
                    Build(
                        id: id, version: build.version, releasedAt: build.daysAgo.map { noon - $0 * day },
                        renderers: ["trips.edit": Self.both])))
        }
        return configuration
    }

    @Test func `is that of versions, each when it came first`() throws {
        let configuration = try configuration([
            ("app", "7.1", 91), ("app", "7.1", 80), ("app", "7.2", 60), ("app", "7.2", 59), ("app", "7.3", 1),
            ("app", "7.4", nil), ("app", "7.5", -1), ("app", "7.0", 90),
        ])
        let pace = configuration.releasePace(of: ["trips.edit"], days: 90, upTo: noon)
        #expect(pace.releases == ["app": 2])
        #expect((pace.limitingApp, pace.intervalDays) == ("app", 45))
    }

    @Test func `is that of the app that is released least often, if it has legacy of the routes`() throws {
        var configuration = try configuration([
            ("app", "1", 5), ("app", "2", 3), ("pad", "1", 30), ("tv", "1", 5), ("tv", "2", 3),
        ])
        let watch = Build(
            id: BuildID(app: "watch", number: 1), version: "1", releasedAt: noon - 200 * day,
            renderers: ["trips.edit": [.migrated], "trips.list": Self.both])
        configuration.store(.build(watch))
        let pace = configuration.releasePace(of: ["trips.edit"], days: 90, upTo: noon)
        #expect(pace.releases == ["app": 2, "pad": 1, "tv": 2])
        #expect((pace.limitingApp, pace.intervalDays) == ("pad", 90))
        let withList = configuration.releasePace(of: ["trips.edit", "trips.list"], days: 90, upTo: noon)
        #expect((withList.limitingApp, withList.intervalDays) == ("watch", nil))
        let none = configuration.releasePace(of: [], days: 90, upTo: noon)
        #expect((none.limitingApp, none.intervalDays) == (nil, nil))
    }
}

@Suite struct `The throughput` {
    private static func move(_ route: String, _ from: Stage, _ to: Stage, _ daysAgo: Int64) -> StageMove {
        StageMove(route: route, from: from, to: to, at: noon - daysAgo * day)
    }

    private func throughput(
        _ moves: [StageMove], to stage: Stage = .defaultNew, since daysAgo: Int64 = 90
    ) -> Throughput {
        Throughput(of: moves, by: ["a", "b", "c"], to: stage, since: noon - daysAgo * day, until: noon)
    }

    @Test func `counts who came to the stage, and takes off who fell back`() {
        let moves = [
            Self.move("a", .partialRollout, .defaultNew, 80), Self.move("a", .defaultNew, .partialRollout, 70),
            Self.move("a", .partialRollout, .defaultNew, 60), Self.move("a", .defaultNew, .oldDisabled, 50),
            Self.move("b", .compatible, .partialRollout, 40), Self.move("c", .partialRollout, .oldDisabled, 30),
            // Before, afterwards, and of a route that is not counted.
            Self.move("b", .partialRollout, .defaultNew, 91), Self.move("b", .partialRollout, .defaultNew, -1),
            Self.move("island", .partialRollout, .defaultNew, 10),
        ]
        let observed = throughput(moves)
        #expect((observed.reached, observed.fellBack) == (3, 1))
        #expect(observed.perDay == 2.0 / 90)
        #expect(observed.days(until: 10) == 450)
        #expect((throughput(moves, to: .oldDisabled).reached, throughput(moves, to: .oldDisabled).fellBack) == (2, 0))
    }

    @Test func `leads nowhere when nothing came nearer, or the time is too short`() {
        let fall = Self.move("a", .defaultNew, .partialRollout, 3)
        let rise = Self.move("a", .partialRollout, .defaultNew, 2)
        #expect(throughput([]).days(until: 1) == nil)
        #expect(throughput([fall, rise]).days(until: 1) == nil)
        #expect(throughput([fall]).perDay == -1.0 / 90)
        #expect(throughput([fall]).days(until: 1) == nil)
        #expect(throughput([rise], since: 6).perDay == nil)
        #expect(throughput([rise], since: 7).perDay == 1.0 / 7)
        #expect(throughput([rise], since: -5).perDay == nil, "a clock that was set back")
        #expect(throughput([]).days(until: 0) == 0)
    }

    @Test func `is told by release and by month, with the day at which all would be done`() {
        let rises = ["a", "b", "c"].map { Self.move($0, .partialRollout, .defaultNew, 5) }
        let json = throughput(rises).json(left: 30, intervalDays: 15)
        #expect(json["perRelease"] == .float(0.5))
        #expect(json["per30Days"] == 1)
        #expect(json["at"] == .integer(noon + 900 * day))
        #expect(throughput([]).json(left: 30, intervalDays: nil)["at"] == .null)
        #expect(throughput(rises).json(left: 1_000_000, intervalDays: nil)["at"] == .null, "not within a century")
        #expect(throughput(rises).json(left: 30, intervalDays: 0.03)["perRelease"] == .float(0.01))
        let fall = Self.move("a", .defaultNew, .partialRollout, 3)
        #expect(throughput([fall]).json(left: 30, intervalDays: 0.03)["perRelease"] == .float(-0.01))
    }
}

@Suite struct `A move to another stage` {
    @Test func `is told by the audit of every command that brings routes there, and by no other`() throws {
        var configuration = try Configuration.example
        let commands: [Command] = [
            .advance, .move(.advance(isForced: true)), .move(.advance(isForced: true)), .move(.hold),
            .move(.resume(cause: nil, step: nil)), .move(.retreat), .move(.advance(isForced: true)),
            .move(.advance(isForced: true), "trips.list"), .move(.rollback, .all),
            .move(.resume(cause: "fixed", step: nil), .flow("trips")), .move(.retreat, .flow("trips")),
            .move(.island(owner: "ana", reviewDate: "2099-01-01")), .move(.resume(cause: nil, step: nil)),
            .editRoute(key: "trips.edit", RouteFields()), .removeFlag(key: "new-search"),
        ]
        var count = 0
        for command in commands {
            let applied = try configuration.applying(
                command, by: ana, reason: "a test", facts: .example, at: noon + 1)
            let changed = configuration.routes.values.filter {
                applied.configuration.routes[$0.key]?.stage != $0.stage
            }
            let told = applied.audit.map { draft in
                StageMove.mayBe(in: draft.action)
                    ? StageMove.moves(subject: draft.subject, before: draft.before, after: draft.after, at: 5) : []
            }
            #expect(Set((told ?? []).map(\.route)) == Set(changed.map(\.key)), "\(command)")
            for move in told ?? [] {
                #expect(move.from == configuration.routes[move.route]?.stage && move.at == 5)
                #expect(move.to == applied.configuration.routes[move.route]?.stage)
            }
            count += changed.count
            configuration = applied.configuration
        }
        #expect(count == 7)
    }

    @Test func `is told by the audit of a stop that rolls back`() throws {
        let configuration = try Configuration.example(at: .defaultNew)
        let hash = try #require(configuration.conditionsInForce(of: "trips.edit").first { $0.id.key == "crash" }?.hash)
        let draft = try #require(
            try configuration.audit(of: .judge(route: "trips.edit", hash: hash, .stop, numbers: [:])))
        #expect(StageMove.mayBe(in: draft.action))
        let moves = StageMove.moves(subject: draft.subject, before: draft.before, after: draft.after, at: 1)
        #expect(moves == [StageMove(route: "trips.edit", from: .defaultNew, to: .partialRollout, at: 1)])
    }

    @Test func `is told by the audit of a document that rolls back, and of nothing else that one changes`() throws {
        let configuration = try Configuration.example(at: .defaultNew)
        for base in [DocumentBase.current, .rollback] {
            let document = try configuration.document {
                $0.set("rolledBack", at: "routes", "trips.edit", "status")
                $0.set("mia", at: "routes", "trips.list", "owner")
            }
            let draft = try #require(try configuration.applying(document, base).audit)
            #expect(StageMove.mayBe(in: draft.action), "\(draft.action)")
            let moves = StageMove.moves(subject: draft.subject, before: draft.before, after: draft.after, at: 1)
            #expect(moves == [StageMove(route: "trips.edit", from: .defaultNew, to: .partialRollout, at: 1)])
        }
        let empty = Configuration(environment: "production", epoch: 1, revision: 0)
        let draft = try #require(try empty.applying(configuration.document).audit)
        #expect(StageMove.moves(subject: draft.subject, before: draft.before, after: draft.after, at: 1).isEmpty)
    }

    @Test(arguments: [
        (#"{"items":{"routes":{"a":{"stage":"compatible"}}}}"#, #"{"items":{"routes":{"a":null}}}"#),
        (#"{"items":[]}"#, #"{"items":{"routes":[]}}"#),
        (#"{"stage":1}"#, #"{"stage":"defaultNew"}"#), ("null", #"{"stage":"defaultNew"}"#),
        (#"{"routes":[]}"#, #"{"routes":{"a":null}}"#), (#"{"stage":"new"}"#, #"{"stage":"old"}"#),
    ])
    func `is not made up of what cannot be read`(before: String, after: String) throws {
        let (before, after) = (try JSONValue(parsing: before), try JSONValue(parsing: after))
        #expect(StageMove.moves(subject: "route/a", before: before, after: after, at: 1).isEmpty)
        #expect(StageMove.moves(subject: "route", before: before, after: after, at: 1).isEmpty)
    }
}
