import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

/// The day of noon in UTC, which ends 22 400 seconds after it.
private let today = "2030-03-17"
private let endOfDay = noon + 22_400_000

extension Configuration {
    /// What trips.edit needs when it has stood at a stage since yesterday, and is otherwise as `edit` leaves it.
    fileprivate static func needs(
        at stage: Stage, _ status: RouteStatus = .active, since: Int64 = noon - day, at now: Int64 = noon,
        _ edit: (inout RouteRollout) -> Void = { _ in }
    ) throws -> [Need] {
        var configuration = try example(at: stage, status, step: stage == .partialRollout ? 2 : 0, since: since)
        var route = try configuration.route("trips.edit")
        edit(&route)
        configuration.store(.route(route))
        return configuration.programmeStatus(at: now).needs.filter { $0.route == "trips.edit" }
    }
}

@Suite struct `A route needs a person` {
    private typealias Edit = @Sendable (inout RouteRollout) -> Void
    private static let stop = RouteStop(condition: "crash", hash: "h", at: noon - 1)

    @Test func `only for a reason`() throws {
        for stage in Stage.allCases { #expect(try Configuration.needs(at: stage).isEmpty, "\(stage)") }
    }

    private static let cases: [(stage: Stage, status: RouteStatus, edit: Edit, lines: [String])] = [
        (
            .partialRollout, .rolledBack, { $0.rolledBackFrom = .oldDisabled },
            ["rolledBack 0 from oldDisabled | route resume trips.edit --cause … --reason …"]
        ),
        (
            .compatible, .rolledBack, { ($0.owner, $0.rolledBackFrom) = (nil, nil) },
            ["rolledBack 0 from compatible | route resume trips.edit --cause … --reason …"]
        ),
        (
            .defaultNew, .active, { $0.stop = stop },
            ["stopped 0 by the condition crash | route resume trips.edit --cause … --reason …"]
        ),
        (
            .partialRollout, .rolledBack, { $0.stop = stop },
            [
                "rolledBack 0 from partialRollout | route resume trips.edit --cause … --reason …",
                "stopped 0 by the condition crash | route resume trips.edit --cause … --reason …",
            ]
        ),
        (
            .defaultNew, .active, { $0.exclusions = [.crash("s4"), .crash("s5")] },
            ["rolledBackInPart 1 app pad and 1 more: crash | route resume trips.edit --scope s4 --reason …"]
        ),
        (
            .partialRollout, .held, { _ in },
            ["held 1 partialRollout, step 2 of 4 | route resume trips.edit --reason …"]
        ),
        (.defaultNew, .held, { _ in }, ["held 1 defaultNew | route resume trips.edit --reason …"]),
        (
            .defaultNew, .held,
            {
                $0.stop = stop
                $0.stepSince = noon - 15 * day
            },
            [
                "stopped 0 by the condition crash | route resume trips.edit --cause … --reason …",
                "held 1 defaultNew | route resume trips.edit --cause … --reason …",
                "overdue 2 held, and at this step for 15 days | route resume trips.edit --cause … --reason …",
            ]
        ),
        // What was stopped and is then to stay legacy: to resume it would end that.
        (.partialRollout, .island, { $0.stop = stop }, []),
        (
            .compatible, .active,
            {
                $0.forced = ForcedMove(
                    move: "compatible", gates: ["owner"], actor: "ana", reason: "demo", at: noon - 1)
            }, ["forced 3 to compatible by ana | route gates trips.edit"]
        ),
        (
            .defaultNew, .active, { $0.owner = nil },
            ["noOwner 3 defaultNew | route edit trips.edit --owner … --reason …"]
        ),
        (.notStarted, .active, { $0.owner = nil }, []), (.oldDeleted, .active, { $0.owner = nil }, []),
    ]

    @Test(arguments: cases.indices) func `where it was interrupted or passed something over`(index: Int) throws {
        let (stage, status, edit, lines) = Self.cases[index]
        #expect(try Configuration.needs(at: stage, status, edit).map(\.line) == lines)
    }

    @Test func `since that began, where it is stored`() throws {
        #expect(try Configuration.needs(at: .partialRollout, .rolledBack).first?.since == noon - day)
        #expect(try Configuration.needs(at: .defaultNew) { $0.stop = Self.stop }.first?.since == noon - 1)
        #expect(try Configuration.needs(at: .defaultNew) { $0.exclusions = [.crash("s4")] }.first?.since == noon - 9)
        #expect(try Configuration.needs(at: .partialRollout, .held).first?.since == nil)
    }

    @Test(
        arguments: [
            ("2030-03-16", noon, true), (today, noon, false), (today, endOfDay - 1, false), (today, endOfDay, true),
            ("2030-03-18", endOfDay, false), ("soon", noon, false), ("2030-02-31", noon, false), ("", noon, false),
            ("1970-01-01", .min, false), ("9999-12-31", .max, true),
        ] as [(String, Int64, Bool)])
    func `once a date has passed in UTC, not on the day itself`(date: String, now: Int64, isOverdue: Bool) throws {
        let late = try Configuration.needs(at: .compatible, since: now, at: now) {
            $0.deletion = Deletion(date: date, owner: "cleaners")
        }
        #expect(
            late.map(\.line)
                == (isOverdue ? ["overdue 2 deletion due \(date) | route show trips.edit"] : []))
        #expect(late.allSatisfy { $0.owner == "cleaners" })
        let island = try Configuration.needs(at: .compatible, .island, since: now, at: now) {
            $0.deletion = nil
            $0.island = Island(owner: "keeper", reason: "r", reviewDate: date)
        }
        #expect(
            island.map(\.line)
                == (isOverdue
                    ? [
                        "overdue 2 island review due \(date) | "
                            + "route island trips.edit --owner … --review-date … --reason …"
                    ] : []))
        #expect(island.allSatisfy { $0.owner == "keeper" })
    }

    @Test func `no more for legacy that is deleted, nor for a review of what is no island any more`() throws {
        #expect(
            try Configuration.needs(at: .oldDeleted) { $0.deletion = Deletion(date: "2020-01-01", owner: "o") }.isEmpty)
        let past = Island(owner: "keeper", reason: "r", reviewDate: "2020-01-01")
        #expect(try Configuration.needs(at: .compatible) { $0.island = past }.isEmpty)
    }

    @Test(arguments: [(14 * day, ["held"]), (14 * day + 1, ["held", "overdue"]), (-day, ["held"])])
    func `where it is held at a step that is older than 14 days`(age: Int64, kinds: [String]) throws {
        #expect(try Configuration.needs(at: .partialRollout, .held, since: noon - age).map(\.kind.rawValue) == kinds)
    }

    @Test(arguments: [(90 * day, []), (90 * day + 1, ["stuck 4 compatible for 90 days | route gates trips.edit"])])
    func `where it has not moved for more than 90 days`(age: Int64, expected: [String]) throws {
        #expect(try Configuration.needs(at: .compatible, since: noon - age).map(\.line) == expected)
        // A step that began later counts, and so does what is not under way.
        #expect(try Configuration.needs(at: .partialRollout, since: noon - age) { $0.stepSince = noon - day }.isEmpty)
        #expect(try Configuration.needs(at: .notStarted, since: noon - age).isEmpty)
        #expect(try Configuration.needs(at: .oldDeleted, since: noon - age).isEmpty)
    }

    @Test func `also by a clock that is far off`() throws {
        for (since, now) in [(Int64.min, noon), (.max, noon), (noon, .min), (noon, .max), (.min, .max), (.max, .min)] {
            for status in RouteStatus.allCases {
                _ = try Configuration.needs(at: .partialRollout, status, since: since, at: now) {
                    $0.plan?.steps[1].holdSeconds = .max
                }
            }
        }
        #expect(try Configuration.needs(at: .compatible, since: .min, at: .max).map(\.kind) == [.overdue, .stuck])
    }

    @Test func `and is told so in words that were written, with a command that holds none of them`() throws {
        let hostile = "\u{1B}[2J\u{202E}'; rm -rf ~ #\n\r" + String(repeating: "界", count: 80)
        let needs = try Configuration.needs(at: .partialRollout, .rolledBack, since: noon - 30 * day) {
            $0.owner = hostile
            $0.exclusions = [
                Exclusion(
                    id: "s4", scope: RollbackScope(app: "pad"), level: .drain, reason: hostile, since: 1, by: hostile)
            ]
            $0.deletion = Deletion(date: "2020-01-01", owner: hostile)
            $0.forced = ForcedMove(move: "compatible", gates: [hostile], actor: hostile, reason: hostile, at: 1)
        }
        #expect(needs.map(\.kind) == [.rolledBack, .rolledBackInPart, .overdue, .forced])
        #expect(needs[1].why == "app pad: \(hostile)" && needs.allSatisfy { $0.owner == hostile })
        for need in needs {
            #expect(need.remedy.hasPrefix("signalbox route ") && !need.remedy.contains("rm"), "\(need.kind)")
        }
    }
}

@Suite struct `What the programme needs` {
    @Test func `comes with the most urgent first, then by route`() throws {
        var configuration = try Configuration.example("trips.list", at: .partialRollout, .rolledBack)
        configuration.routes["orders.detail"]?.status = .held
        configuration.routes["trips.edit"]?.status = .rolledBack
        configuration.routes["trips.edit"]?.deletion?.date = "2020-01-01"
        configuration.routes["trips.list"]?.deletion?.date = "2020-01-01"
        let status = configuration.programmeStatus(at: noon)
        #expect(
            status.needs.map { "\($0.kind) \($0.route)" } == [
                "rolledBack trips.edit", "rolledBack trips.list", "held orders.detail", "overdue trips.edit",
                "overdue trips.list",
            ])
        #expect(status.stages == [.notStarted: 2, .partialRollout: 1])
        #expect(status.statuses == [.rolledBack: 2, .held: 1])
        #expect(Need.Kind.allCases.map(\.urgency) == Need.Kind.allCases.map(\.urgency).sorted())
    }

    @Test func `is written with every word counted, and no more of it than asked for`() throws {
        var configuration = try Configuration.example("trips.list", at: .partialRollout, .rolledBack, since: noon - day)
        configuration.routes["trips.edit"]?.status = .held
        let status = configuration.programmeStatus(at: noon)
        let json = status.json(mostNeeds: 1)
        #expect(json["routes"] == 3 && json["more"] == 1)
        #expect(
            JSONValue.object(json["needs"]?.array?.first?.object ?? [:]) == [
                "kind": "rolledBack", "urgency": 0, "route": "trips.list", "owner": "team-trips",
                "since": .integer(noon - day), "why": "from partialRollout",
                "remedy": "signalbox route resume trips.list --cause … --reason …",
            ])
        #expect(json["stages"]?.object?.keys == Stage.allCases.map(\.rawValue))
        #expect(json["statuses"]?["held"] == 1 && json["statuses"]?["island"] == 0)
        #expect(json["kinds"]?["held"] == 1 && json["kinds"]?["stuck"] == 0)
        #expect(status.json(mostNeeds: 0)["more"] == 2 && status.json(mostNeeds: -1)["more"] == 2)
    }

    @Test(
        arguments: [
            (7 * day, nil, ["waiverEnds 3 on 2030-03-24: parity | route gates trips.edit"]),
            (7 * day + 1, nil, []), (0, nil, []), (-1, nil, []),
            (
                1, "partialRollout",
                ["waiverEnds 3 on 2030-03-17: parity before partialRollout | route gates trips.edit"]
            ),
            // Moves that were made long ago want no waiver.
            (1, "compatible", []),
        ] as [(Int64, String?, [String])])
    func `has waivers that are about to end`(left: Int64, move: String?, expected: [String]) throws {
        var configuration = try Configuration.example(at: .compatible, since: noon - day)
        let id = Waiver.ID(route: "trips.edit", gate: "parity", move: move)
        configuration.waivers[id] = Waiver(
            id: id, approver: "kim", reason: "r", grantedAt: 0, expiresAt: noon + left)
        let needs = configuration.programmeStatus(at: noon).needs
        #expect(needs.map(\.line) == expected)
        #expect(needs.allSatisfy { $0.owner == "kim" })
    }

    @Test(arguments: [("step 2", false), ("step 3", true), ("defaultNew", true), ("partialRollout", false)])
    func `has waivers of the steps to come`(move: String, isTold: Bool) throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 2, since: noon - day)
        let id = Waiver.ID(route: "trips.edit", gate: "noStop", move: move)
        configuration.waivers[id] = Waiver(id: id, approver: "kim", reason: "r", grantedAt: 0, expiresAt: noon + 1)
        #expect(configuration.programmeStatus(at: noon).needs.map(\.kind) == (isTold ? [.waiverEnds] : []))
    }
}

extension Exclusion {
    fileprivate static func crash(_ id: String) -> Exclusion {
        Exclusion(
            id: id, scope: RollbackScope(app: "pad"), level: .drain, reason: "crash", since: noon - 9, by: "ana")
    }
}

extension Need {
    /// The whole on one line, without the name of the program.
    var line: String {
        "\(kind.rawValue) \(kind.urgency) \(why) | \(remedy.dropFirst("signalbox ".count))"
    }
}
