import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A document that would widen` {
    static let widenings: [(String, @Sendable (inout JSONObject) -> Void)] = [
        ("/routes/trips.edit/step", { $0.set(4, at: "routes", "trips.edit", "step") }),
        ("/routes/trips.edit/stage", { $0.set("defaultNew", at: "routes", "trips.edit", "stage") }),
        (
            "/routes/trips.edit/plan",
            { $0.set(["steps": [["cohort": nil, "share": 100_000]]], at: "routes", "trips.edit", "plan") }
        ),
        ("/cohorts/internal", { $0.set(["==": [1, 1]], at: "cohorts", "internal", "rule") }),
        ("/settings", { $0.set("trust", at: "settings", "unknownBuild") }),
        (
            "/overrides/trips.edit~1u",
            {
                $0.set(
                    [
                        "route": "trips.edit", "unit": "u", "renderer": "migrated", "owner": "o", "reason": "r",
                        "expiresAt": .integer(noon + day),
                    ], at: "overrides", "trips.edit/u")
            }
        ),
    ]

    @Test(arguments: widenings.indices)
    func `never widens, and lists the verb that would`(_ index: Int) throws {
        let (path, change) = Self.widenings[index]
        let before = try Configuration.example("trips.edit", at: .partialRollout, step: 1)
        let document = try before.document { change(&$0) }
        let applied = try before.applying(document)
        #expect(applied.audit == nil, "\(applied.rows)")
        #expect(document.remaining(in: applied.configuration, base: .current, at: noon).map(\.path) == [path])
    }

    @Test func `registers no build that would be given migrated by it`() throws {
        let renderers: JSONValue = ["trips.edit": ["legacy", "migrated"]]
        func registered(_ configuration: Configuration) throws -> (Bool, [String]) {
            var build = try #require(configuration.builds[BuildID(app: "app", number: 730)]?.json)
            build["build"] = "app:999"
            build["renderers"] = renderers
            let document = try configuration.document { $0.set(.object(build), at: "builds", "app:999") }
            let after = try configuration.applying(document).configuration
            return (
                after.builds[BuildID(app: "app", number: 999)] != nil,
                document.remaining(in: after, base: .current, at: noon).map(\.path)
            )
        }
        #expect(try registered(Configuration.example(at: .compatible)) == (true, []))
        for stage in [Stage.partialRollout, .defaultNew, .oldDisabled] {
            let step = stage == .partialRollout ? 1 : 0
            #expect(try registered(Configuration.example(at: stage, step: step)) == (false, ["/builds/app:999"]))
        }
    }

    @Test func `stops a ladder that climbs by itself, whatever else it may not change`() throws {
        var climbing = try Configuration.example(at: .partialRollout, step: 1)
        var plan = try #require(climbing.routes["trips.edit"]?.plan)
        for index in plan.steps.indices { plan.steps[index].holdSeconds = 60 }
        plan.advance = .automatic
        climbing.routes["trips.edit"]?.plan = plan
        var wished = climbing
        for index in plan.steps.indices { plan.steps[index].holdSeconds = 0 }
        plan.advance = .manual
        wished.routes["trips.edit"]?.plan = plan
        let made = try climbing.applying(wished.document).configuration.routes["trips.edit"]?.plan
        #expect(made?.advance == .manual && made?.steps.first?.holdSeconds == 60)
    }

    @Test func `makes no ladder climb by itself, and writes nothing over exported flag files`() throws {
        let climbed = try Configuration.example(at: .partialRollout, step: 1)
        var plan = try #require(climbed.routes["trips.edit"]?.plan)
        for index in plan.steps.indices { plan.steps[index].holdSeconds = 60 }
        var held = climbed
        held.routes["trips.edit"]?.plan = plan
        plan.advance = .automatic
        var automatic = held
        automatic.routes["trips.edit"]?.plan = plan
        let applied = try held.applying(automatic.document)
        #expect(applied.configuration.routes["trips.edit"]?.plan?.advance == .manual)
        for flagSet: JSONValue in [["flags": [:]], ["$evaluators": ["a": true]], ["metadata": 5]] {
            let document = try climbed.document { $0.set(flagSet, at: "settings", "flagSet") }
            #expect(throws: RolloutError.self) { try climbed.applying(document) }
        }
    }

    @Test func `lets a ladder that climbs by itself give no more than before`() throws {
        var climbing = try Configuration.example(at: .partialRollout, step: 3)
        var plan = try #require(climbing.routes["trips.edit"]?.plan)
        for index in plan.steps.indices { plan.steps[index].holdSeconds = 60 }
        (plan.advance, plan.steps[3].share) = (.automatic, 80_000)
        climbing.routes["trips.edit"]?.plan = plan
        let kept = plan
        func made(_ change: (inout RolloutPlan) -> Void) throws -> RolloutPlan? {
            var (wished, plan) = (climbing, kept)
            change(&plan)
            wished.routes["trips.edit"]?.plan = plan
            return try climbing.applying(wished.document).configuration.routes["trips.edit"]?.plan
        }
        var step = RolloutPlan.Step(cohort: nil, share: 90_000)
        step.holdSeconds = 60
        #expect(try made { $0.steps.append(step) } == kept)
        #expect(try made { $0.steps[3].share = 80_001 } == kept)
        step.share = 50_000
        #expect(try made { $0.steps.insert(step, at: 3) }?.steps.count == 5)
    }

    @Test func `takes nothing away that holds a ladder which climbs by itself`() throws {
        var climbing = try Configuration.example(at: .partialRollout, step: 1)
        var plan = try #require(climbing.routes["trips.edit"]?.plan)
        for index in plan.steps.indices { plan.steps[index].holdSeconds = 60 }
        plan.advance = .automatic
        climbing.routes["trips.edit"]?.plan = plan
        climbing.routes["trips.edit"]?.requires = ["trips.list"]
        climbing.routes["orders.detail"]?.excludes = ["trips.edit"]
        let wished = try climbing.document { json in
            json.set([], at: "routes", "trips.edit", "requires")
            json.set([], at: "routes", "orders.detail", "excludes")
            // It names the second step's cohort, to which the service would climb.
            json.set(["==": [1, 1]], at: "cohorts", "beta", "rule")
        }
        let applied = try climbing.applying(wished)
        #expect(applied.audit == nil)
        #expect(
            wished.remaining(in: applied.configuration, base: .current, at: noon).map(\.path)
                == ["/cohorts/beta", "/routes/orders.detail/excludes", "/routes/trips.edit/requires"])
        plan.advance = .manual
        let manual = try climbing.document { json in
            json.set([], at: "routes", "trips.edit", "requires")
            json.set(.object(plan.json), at: "routes", "trips.edit", "plan")
        }
        #expect(try climbing.applying(manual).configuration.routes["trips.edit"]?.requires == [])
    }

    @Test func `registers a build beside an override to migrated that is over`() throws {
        func isRegistered(besideOneUntil expiresAt: Int64) throws -> Bool {
            var configuration = try Configuration.example(at: .compatible)
            configuration.store(
                .override(
                    Override(
                        id: Override.ID(route: "trips.edit", unit: "q"), renderer: .migrated, owner: "qa", reason: "r",
                        expiresAt: expiresAt)))
            let build = Build.app(999, ["trips.edit": [.legacy, .migrated]])
            let document = try configuration.document { $0.set(.object(build.json), at: "builds", "app:999") }
            return try configuration.applying(document).configuration.builds[build.id] != nil
        }
        #expect(try isRegistered(besideOneUntil: noon))
        #expect(try !isRegistered(besideOneUntil: noon + 1_000))
    }

    @Test(arguments: [DocumentBase.current, .rollback])
    func `enables no flag that is disabled, whatever else it says of it`(base: DocumentBase) throws {
        let enabled = try Configuration.example
        let disabled = try enabled.after(.setFlagState(key: "new-search", isEnabled: false))
        let document = try enabled.document {
            $0.set("search", at: "flags", "new-search", "definition", "metadata", "of")
        }
        let applied = try disabled.applying(document, base).configuration
        #expect(applied.flags["new-search"]?.definition["state"] == "DISABLED")
        #expect(applied.flags["new-search"]?.definition["metadata"] == ["of": "search"])
        #expect(
            document.remaining(in: applied, base: base, at: noon)
                == [.init(path: "/flags/new-search", verb: "signalbox flag enable new-search")])
        #expect(try applied.applying(document, base).audit == nil)
        let without = try disabled.after(.removeFlag(key: "new-search"))
        let new = try without.applying(document, base).configuration
        #expect(new.flags["new-search"]?.definition["state"] == "ENABLED")
    }

    @Test func `rolls back and holds, which narrow`() throws {
        let before = try Configuration.example("trips.edit", at: .partialRollout, step: 1)
        for (status, verb) in [("rolledBack", RouteStatus.rolledBack), ("held", .held)] {
            let document = try before.document { $0.set(.string(status), at: "routes", "trips.edit", "status") }
            #expect(try before.applying(document).configuration.routes["trips.edit"]?.status == verb)
        }
    }
}
