import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private func split(_ share: Int64) -> JSONValue {
    [
        "fractional": [
            ["cat": [.string(Flow.trips.id), "/", ["var": "targetingKey"]]], ["migrated", .integer(share)],
            ["legacy", .integer(100_000 - share)],
        ]
    ]
}

extension FlagSet {
    /// A configuration's flags and routes, or the flags that say what decides.
    fileprivate init(_ configuration: Configuration, decisions: Bool = false) {
        let definitions =
            decisions
            ? configuration.routes.compactMapValues { route in
                configuration.flows[route.flow].flatMap { route.decisionProjection(in: $0) }
            }
            : configuration.flags.mapValues(\.definition).merging(configuration.rendererFlags()) { $1 }
        self.init(
            flags: definitions.map { FlagDefinition(key: $0.key, stored: $0.value, cohorts: ["internal", "beta"]) },
            evaluators: configuration.evaluators)
    }
}

@Suite struct `A route as a flag` {
    private func flag(at stage: Stage, _ status: RouteStatus = .active, step: Int = 0) throws -> JSONObject {
        let route = try Configuration.example(at: stage, status, step: step).route("trips.edit")
        return route.projection(in: .trips)
    }

    @Test(arguments: Stage.allCases, RouteStatus.allCases)
    func `is decided by stage and status off the ladder`(stage: Stage, status: RouteStatus) throws {
        // Where nobody is on the ladder, a step that is left over must not decide.
        let flag = try flag(at: stage, status, step: status == .rolledBack || status == .island ? 4 : 0)
        let isMigrated = stage > .partialRollout && status != .rolledBack && status != .island
        #expect(flag["defaultVariant"] == (isMigrated ? "migrated" : "legacy"))
        #expect(flag["targeting"] == nil)
        #expect(flag["state"] == "ENABLED" && flag["variants"] == ["legacy": "legacy", "migrated": "migrated"])
    }

    @Test func `says where the route stands`() throws {
        #expect(
            try flag(at: .partialRollout, .held, step: 2)["metadata"] == [
                "flow": "trips", "route": "trips.edit", "stage": "partialRollout", "status": "held", "step": 2,
            ])
    }

    @Test(arguments: [RouteStatus.active, .held]) func `climbs the ladder`(status: RouteStatus) throws {
        let noKey: JSONValue = ["!": ["var": "targetingKey"]]
        let steps: [JSONValue] = [
            ["if": [noKey, nil, ["$ref": "internal"], split(100_000)]],
            ["if": [noKey, nil, ["$ref": "internal"], split(100_000), ["$ref": "beta"], split(50_000)]],
            [
                "if": [
                    noKey, nil, ["$ref": "internal"], split(100_000), ["$ref": "beta"], split(50_000), split(5_000),
                ]
            ],
            ["if": [noKey, nil, split(100_000)]],
        ]
        for (index, targeting) in steps.enumerated() {
            #expect(try flag(at: .partialRollout, status, step: index + 1)["targeting"] == targeting)
        }
    }

    @Test func `is acceptable to whoever reads flagd's format`() throws {
        for stage in Stage.allCases {
            for step in 0...4 {
                let json = try JSONValue.object(flag(at: stage, step: stage == .partialRollout ? step : 0))
                let checked = try FlagDefinition(key: "trips.edit", json: json, cohorts: ["internal", "beta"])
                #expect(checked.warnings.isEmpty)
            }
        }
    }

    @Test func `stands beside the ordinary flags`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 1)
        #expect(configuration.rendererFlags().keys.sorted() == ["orders.detail", "trips.edit", "trips.list"])
        let keys = CompiledConfiguration(configuration).flags.keys
        #expect(keys.sorted() == ["new-search", "orders.detail", "trips.edit", "trips.list"])
    }
}

@Suite struct `Units on the ladder` {
    private static let units = (0..<1_000).map { "unit-\($0)" }

    private func context(_ unit: String?, _ attributes: JSONObject = [:]) -> EvaluationContext {
        EvaluationContext(targetingKey: unit, attributes: attributes)
    }

    /// The units that get migrated at a place in the rollout.
    private func migrated(
        at step: Int, _ status: RouteStatus = .active, _ attributes: JSONObject = [:], of route: String = "trips.edit",
        plan: RolloutPlan = .ladder
    ) throws -> Set<String> {
        var configuration = try Configuration.example(route, at: .partialRollout, status, step: step)
        configuration.routes[route]?.plan = plan
        let flags = FlagSet(configuration)
        return Set(
            Self.units.filter {
                flags.evaluation(of: route, for: context($0, attributes), at: 0).variant == "migrated"
            })
    }

    private static let people: [JSONObject] = [
        [:], ["team": "internal"], ["channel": "beta"], ["team": "internal", "channel": "beta"],
    ]

    @Test(arguments: people) func `only come to migrated as it is climbed`(attributes: JSONObject) throws {
        var before: Set<String> = []
        for step in 0...4 {
            let now = try migrated(at: step, .active, attributes)
            #expect(now.isSuperset(of: before))
            #expect(try migrated(at: step, .held, attributes) == now)
            before = now
        }
        #expect(before.count == Self.units.count)
    }

    @Test(
        arguments: [
            ([:], [0, 0, 0.05, 1]), (["team": "internal"], [1, 1, 1, 1]), (["channel": "beta"], [0, 0.5, 0.5, 1]),
            (["channel": "beta", "team": "internal"], [1, 1, 1, 1]),
        ] as [(JSONObject, [Double])])
    func `get migrated as the shares say`(attributes: JSONObject, shares: [Double]) throws {
        for (index, share) in shares.enumerated() {
            let count = try migrated(at: index + 1, .active, attributes).count
            let expected = share * Double(Self.units.count)
            #expect(abs(Double(count) - expected) <= (share == 0 || share == 1 ? 0 : 64), "step \(index + 1)")
        }
    }

    @Test func `are those whose bucket is below the share`() throws {
        let expected = Self.units.filter {
            Bucket(for: $0, salt: Flow.trips.id + "/").position(among: 100_000) < 5_000
        }
        #expect(try migrated(at: 3) == Set(expected))
    }

    @Test func `are the same on all routes of a flow`() throws {
        let edit = try migrated(at: 3)
        #expect(try !edit.isEmpty && migrated(at: 3, of: "trips.list") == edit)
    }

    @Test func `in several cohorts get the largest of their shares`() throws {
        let plan = RolloutPlan(steps: [
            .init(cohort: "internal", share: 10_000), .init(cohort: "beta", share: 60_000),
        ])
        let beta = try migrated(at: 2, .active, ["channel": "beta"], plan: plan)
        #expect(try migrated(at: 2, .active, ["team": "internal", "channel": "beta"], plan: plan) == beta)
        #expect(try migrated(at: 2, .active, ["team": "internal"], plan: plan).isStrictSubset(of: beta))
    }

    @Test func `without a key get legacy at any share`() throws {
        for step in 1...4 {
            let flags = FlagSet(try .example(at: .partialRollout, step: step))
            let attributes: JSONObject = ["team": "internal"]
            #expect(flags.evaluation(of: "trips.edit", for: context(nil, attributes), at: 0).variant == "legacy")
        }
    }

    @Test func `get legacy when the route is rolled back or an island`() throws {
        for status in [RouteStatus.rolledBack, .island] {
            #expect(try migrated(at: 0, status, ["team": "internal"]).isEmpty)
            // Also where a stored step should be left over.
            #expect(try migrated(at: 4, status, ["team": "internal"]).isEmpty)
        }
    }

    @Test(
        arguments: [
            (3, "u-1", [:], .share), (3, "u-1", ["channel": "beta"], .cohort),
            (3, "u-1", ["team": "internal"], .cohort),
            (1, "u-1", [:], .share), (4, "u-1", ["team": "internal"], .share), (3, nil, ["team": "internal"], .stage),
        ] as [(Int, String?, JSONObject, DecisionSource)])
    func `learn what decided`(step: Int, unit: String?, attributes: JSONObject, source: DecisionSource) throws {
        let decisions = FlagSet(try .example(at: .partialRollout, step: step), decisions: true)
        let variant = decisions.evaluation(of: "trips.edit", for: context(unit, attributes), at: 0).variant
        #expect(RouteDecision.all.first { $0.name == variant }?.source == source)
        #expect(decisions.definitions.map { $0.variants.map(\.name) } == [RouteDecision.all.map(\.name)])
    }

    @Test func `are decided by the stage where no ladder is`() throws {
        for (stage, status, step) in [
            (.compatible, .active, 0), (.partialRollout, .rolledBack, 0), (.partialRollout, .rolledBack, 2),
            (.defaultNew, .active, 0),
        ] as [(Stage, RouteStatus, Int)] {
            #expect(FlagSet(try .example(at: stage, status, step: step), decisions: true).keys.isEmpty)
        }
    }
}
