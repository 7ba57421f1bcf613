import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func names(_ gates: [GateResult], _ isIncluded: (GateResult) -> Bool) -> [String] {
    gates.filter(isIncluded).map(\.name)
}

private func isUnknown(_ gate: GateResult) -> Bool { if case .unknown = gate.verdict { true } else { false } }

@Suite struct `The gates of a route` {
    @Test func `to compatible all fail for a route of which nothing is known`() throws {
        var configuration = try Configuration.example
        configuration.builds = [:]
        var route = try configuration.route("orders.detail")
        route.requires = ["trips.edit"]
        let gates = configuration.gates(of: route, toward: .stage(.compatible), at: noon)
        #expect(
            names(gates, \.isFailing) == ["owner", "purpose", "contract", "entryPoints", "bothRenderers", "requires"])
        #expect(names(gates, \.isHard) == ["bothRenderers"])
        #expect(gates.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test func `to compatible all pass for a complete route`() throws {
        let configuration = try Configuration.example
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.compatible), at: noon)
        #expect(gates.count == 6 && gates.allSatisfy { $0.verdict == .pass })
    }

    @Test(
        arguments: [([.legacy], true), ([.migrated], true), ([.legacy, .migrated], false)] as [(Set<Renderer>, Bool)])
    func `to compatible want one build with both renderers`(renderers: Set<Renderer>, fails: Bool) throws {
        var configuration = try Configuration.example
        configuration.builds = [:]
        configuration.store(.build(.app(1, ["trips.edit": renderers])))
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.compatible), at: noon)
        #expect(names(gates, \.isFailing) == (fails ? ["bothRenderers"] : []))
    }

    @Test func `to compatible want the routes that it requires to be there before it`() throws {
        var configuration = try Configuration.example(at: .compatible)
        var root = try configuration.route("trips.list")
        root.requires = ["trips.edit", "orders.detail"]
        configuration.store(.route(root))
        let gates = configuration.gates(of: root, toward: .stage(.compatible), at: noon)
        #expect(gates.last?.verdict == .fail("not yet compatible: orders.detail"))
    }

    @Test func `to the ladder want a plan, a deletion, evidence and frozen conditions`() throws {
        let configuration = try Configuration.example
        let bare = try configuration.route("orders.detail")
        let gates = configuration.gates(of: bare, toward: .stage(.partialRollout), facts: .example, at: noon)
        #expect(names(gates, \.isFailing) == ["plan", "deletion", "parity", "stopConditions", "rehearsal"])
        #expect(names(gates, \.isHard) == ["stopConditions"])
        let complete = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.partialRollout), facts: .example, at: noon)
        #expect(complete.allSatisfy { $0.verdict == .pass })
    }

    @Test func `to the next step pass where the step asks for nothing, but for what nobody judged`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 1)
        let gates = configuration.gates(of: try configuration.route("trips.edit"), toward: .step(2), at: noon)
        #expect(names(gates, isUnknown) == ["noStop"])
        #expect(
            gates.map(\.name) == [
                "heldLongEnough", "minimumUnits", "noStop", "approval", "stopConditions", "requires", "excludes",
            ])
        #expect(names(gates, \.isFailing).isEmpty)
    }

    @Test(
        arguments: [
            (4, .active, []), (3, .active, ["lastStep"]), (4, .held, ["status"]),
            (0, .rolledBack, ["lastStep", "status"]),
        ] as [(Int, RouteStatus, [String])])
    func `to the default want the last step of an active route`(
        step: Int, status: RouteStatus, failing: [String]
    ) throws {
        let configuration = try Configuration.example(at: .partialRollout, status, step: step)
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.defaultNew), facts: .example, at: noon)
        #expect(names(gates, \.isFailing) == failing + ["stopConditions"])
        #expect(names(gates, isUnknown) == ["stopConditions", "sampleRatio"])
    }

    @Test func `to the default fail without a plan`() throws {
        var configuration = try Configuration.example(at: .partialRollout)
        configuration.routes["trips.edit"]?.plan = nil
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.defaultNew), facts: .example, at: noon)
        #expect(names(gates, \.isFailing) == ["lastStep", "stopConditions"])
    }

    @Test(
        arguments: [
            // number, version, days after the stage began (nil: not released)
            ([], 0), ([(731, "7.4", 1)], 1), ([(731, "7.4", 1), (732, "7.5", 2)], 2),
            ([(731, "7.4", 1), (732, "7.4", 2)], 1), ([(731, "7.4", 1), (732, "7.5", nil)], 1),
            ([(731, "7.4", 1), (732, "7.5", 0)], 1), ([(731, "7.4", 1), (732, "7.5", 31)], 1),
        ] as [([(Int64, String, Int64?)], Int)])
    func `to disable legacy want two versions released since migrated is the default`(
        builds: [(Int64, String, Int64?)], expected: Int
    ) throws {
        var configuration = try Configuration.example(at: .defaultNew, since: noon - 30 * day)
        for (number, version, days) in builds {
            let released = days.map { noon + ($0 - 30) * day }
            let build = Build.app(
                number, ["trips.edit": [.legacy, .migrated]], version: version, releasedAt: released)
            configuration.store(.build(build))
        }
        let route = try configuration.route("trips.edit")
        #expect(configuration.releases(of: route, upTo: noon) == expected)
        let gates = configuration.gates(of: route, toward: .stage(.oldDisabled), facts: .example, at: noon)
        #expect(names(gates, \.isFailing) == (expected < 2 ? ["releases"] : []))
    }

    @Test func `to disable legacy count the app that has fewest releases`() throws {
        var configuration = try Configuration.example(at: .defaultNew, since: noon - day)
        for (app, number) in [("app", 731), ("app", 732), ("pad", 90)] as [(String, Int64)] {
            configuration.store(
                .build(
                    Build(
                        id: BuildID(app: app, number: number), version: "7.\(number)", releasedAt: noon,
                        renderers: ["trips.edit": [.legacy, .migrated]])))
        }
        #expect(configuration.releases(of: try configuration.route("trips.edit"), upTo: noon) == 1)
    }

    @Test(
        arguments: [([.legacy, .migrated], true), ([.legacy], true), ([.migrated], false)] as [(Set<Renderer>, Bool)])
    func `to delete legacy want a build without it`(renderers: Set<Renderer>, fails: Bool) throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        configuration.store(.build(.app(740, ["trips.edit": renderers], commit: "c740")))
        let gates = configuration.gates(
            of: try configuration.route("trips.edit"), toward: .stage(.oldDeleted),
            facts: Facts(livePins: [:], recentJourneys: [:], evidence: Facts.example.evidence), at: noon)
        #expect(names(gates, \.isFailing) == (fails ? ["deletionBuild"] : []))
    }

    @Test(
        arguments: [
            // legacy before the deletion build, legacy from it on, migrated, legacy of an app that keeps legacy
            (0, 0, 0, 0, false), (1, 0, 0, 0, true), (1, 0, 98, 0, true), (1, 0, 99, 0, false), (2, 0, 197, 0, true),
            (0, 5, 5, 0, false), (0, 0, 5, 70, false),
        ] as [(Int, Int, Int, Int, Bool)])
    func `to delete legacy want at most one journey of a hundred in flight on it in older builds`(
        older: Int, newer: Int, migrated: Int, elsewhere: Int, fails: Bool
    ) throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]], commit: "c740")))
        var pins = LivePins()
        pins.legacy = [
            BuildID(app: "app", number: 730): older, BuildID(app: "app", number: 741): newer,
            BuildID(app: "pad", number: 9): elsewhere,
        ]
        pins.migrated = [BuildID(app: "app", number: 740): migrated]
        let facts = Facts(
            livePins: ["trips.edit": pins], recentJourneys: [:], evidence: Facts.example.evidence)
        let route = try configuration.route("trips.edit")
        let gates = configuration.gates(of: route, toward: .stage(.oldDeleted), facts: facts, at: noon)
        #expect(names(gates, \.isFailing) == (fails ? ["livePins"] : []))
        let forced = Result {
            try configuration.applying(
                .move(.advance(isForced: true)), by: ana, reason: "x", facts: facts, at: noon)
        }
        #expect(((try? forced.get()) == nil) == fails, "the gate is hard")
        #expect(configuration.refusal(of: .move(.advance(isForced: true)))?.code == .gateNotMet, "not counted")
    }

    /// An app that has legacy again after it was without counts whole, whatever the other app's builds are.
    @Test func `to delete legacy judge each app by itself`() throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        func names(failing pins: LivePins) throws -> [String] {
            let gates = configuration.gates(
                of: try configuration.route("trips.edit"), toward: .stage(.oldDeleted),
                facts: Facts(livePins: ["trips.edit": pins], recentJourneys: [:], evidence: Facts.example.evidence),
                at: noon)
            return gates.filter(\.isFailing).map(\.name).filter { ["deletionBuild", "livePins"].contains($0) }
        }
        let (app, pad) = (BuildID(app: "app", number: 730), BuildID(app: "pad", number: 9))
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]], commit: "c740")))
        var pins = LivePins()
        (pins.legacy, pins.migrated) = ([pad: 1], [BuildID(app: "app", number: 740): 5])
        #expect(try names(failing: pins).isEmpty)
        for (number, renderers) in [(10, [.migrated]), (11, [.legacy, .migrated])] as [(Int64, Set<Renderer>)] {
            configuration.store(
                .build(
                    Build(id: BuildID(app: "pad", number: number), version: "1", renderers: ["trips.edit": renderers])))
        }
        #expect(try names(failing: pins) == ["deletionBuild", "livePins"])
        pins.legacy = [app: 1]
        #expect(try names(failing: pins) == ["deletionBuild", "livePins"])
        // Where nothing is deleted, also apps count of which no build is registered.
        configuration = try Configuration.example(at: .oldDisabled)
        pins.legacy = [BuildID(app: "web", number: .max): 1]
        #expect(try names(failing: pins) == ["deletionBuild", "livePins"])
    }

    @Test(
        arguments: [(1, 99, 1_000, false), (1, 98, 1_000, true), (20, 80, 20_000, false), (1, 99, 0, true)]
            as [(Int, Int, Int, Bool)])
    func `to delete legacy want older builds below the plan's share of the journeys of 30 days`(
        older: Int, newer: Int, share: Int, fails: Bool
    ) throws {
        var configuration = try Configuration.example(at: .oldDisabled)
        configuration.store(.build(.app(740, ["trips.edit": [.migrated]], commit: "c740")))
        var route = try configuration.route("trips.edit")
        route.plan?.legacyShareAtDeletion = share
        configuration.store(.route(route))
        let facts = Facts(
            livePins: [:],
            recentJourneys: [
                BuildID(app: "app", number: 730): older, BuildID(app: "app", number: 740): newer,
                BuildID(app: "pad", number: 1): 5_000,
            ], evidence: Facts.example.evidence)
        let gates = configuration.gates(of: route, toward: .stage(.oldDeleted), facts: facts, at: noon)
        #expect(names(gates, \.isFailing) == (fails ? ["oldBuilds"] : []))
        let uncounted = configuration.gates(
            of: route, toward: .stage(.oldDeleted), facts: Facts(livePins: [:], evidence: Facts.example.evidence),
            at: noon)
        #expect(names(uncounted, \.isFailing) == ["oldBuilds"], "not counted")
    }
}

@Suite struct `An advance` {
    @Test func `is refused with every gate and what would make it pass`() throws {
        let configuration = try Configuration.example
        let error = configuration.refusal(of: .move(.advance(isForced: false), "orders.detail"))
        #expect(error?.code == .gateNotMet)
        #expect(error?.details["route"] == "orders.detail" && error?.details["move"] == "compatible")
        let gates = try #require(error?.details["gates"]?.array)
        #expect(error?.message.contains("orders.detail (owner, purpose") == true, "only those that fail are named")
        #expect(gates.count == 6)
        #expect(gates.allSatisfy { $0["remedy"]?.string?.isEmpty == false })
    }

    @Test func `is not blocked by what is unknown`() throws {
        let configuration = try Configuration.example(at: .compatible).after(.advance)
        #expect(try configuration.route("trips.edit").step == 1)
    }

    @Test func `may be forced by the role admin only, and says so in the audit`() throws {
        var configuration = try Configuration.example(at: .compatible)
        configuration.routes["trips.edit"]?.deletion = nil
        let forced = Command.move(.advance(isForced: true))
        #expect(configuration.refusal(of: .advance)?.code == .gateNotMet)
        for role in AccessKey.Role.allCases where role != .admin {
            let actor = Actor(name: "eve", role: role, keyID: "k-eve")
            #expect(configuration.refusal(of: forced, by: actor)?.code == .notAllowed)
        }
        let audit = try configuration.audit(of: forced)
        #expect(audit?.after["forced"] == true)
        #expect(audit?.after["forcedGates"] == ["trips.edit": ["deletion"]])
        #expect(try configuration.after(forced).route("trips.edit").stage == .partialRollout)
    }

    @Test func `is never forced past a hard gate`() throws {
        var configuration = try Configuration.example
        configuration.builds = [:]
        let error = configuration.refusal(of: .move(.advance(isForced: true)))
        #expect(error?.code == .gateNotMet)
    }

    @Test func `is not made by a detour over an island`() throws {
        var configuration = try Configuration.example
        configuration = try configuration.after(.move(.island(owner: "ana", reviewDate: "2031-01-31"), "orders.detail"))
        let resume = Command.move(.resume(cause: nil, step: nil), "orders.detail")
        #expect(configuration.refusal(of: resume)?.code == .gateNotMet)
    }
}
