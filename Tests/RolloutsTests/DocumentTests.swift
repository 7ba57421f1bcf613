import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

extension Configuration {
    var document: ConfigurationDocument { ConfigurationDocument(of: self) }

    /// The document after it was written and read.
    func document(_ change: (inout JSONObject) -> Void) throws -> ConfigurationDocument {
        var json =
            try JSONValue(parsing: String(decoding: JSONValue.object(document.json).canonicalJSON, as: UTF8.self))
            .object ?? [:]
        change(&json)
        return try ConfigurationDocument(.object(json))
    }

    func applying(_ document: ConfigurationDocument, _ base: DocumentBase = .current) throws -> AppliedCommand {
        try applying(
            .applyDocument(document, base, allowsReshuffle: false), by: eve, reason: "a test", facts: .example, at: noon
        )
    }
}

extension JSONObject {
    /// Sets what stands at a path of member names.
    mutating func set(_ value: JSONValue?, at path: String...) { set(value, at: path[...]) }

    private mutating func set(_ value: JSONValue?, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        guard path.count > 1 else { return self[name] = value }
        var inner = self[name]?.object ?? [:]
        inner.set(value, at: path.dropFirst())
        self[name] = .object(inner)
    }
}

@Suite struct `A document of the configuration` {
    @Test func `is equal bytes for equal configurations, and holds no keys`() throws {
        var configuration = try Configuration.example
        let bytes = JSONValue.object(configuration.document.json).canonicalJSON
        configuration.keys["k"] = .admin("k", fill: "a")
        #expect(JSONValue.object(configuration.document.json).canonicalJSON == bytes)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("aaaaaaaaaa"))
        let again = try configuration.document { _ in }
        #expect(JSONValue.object(again.json).canonicalJSON == bytes)
    }

    @Test func `makes an empty environment the same, but for what only verbs do, and does it once`() throws {
        let source = try Configuration.example("trips.edit", at: .partialRollout, step: 2)
        let empty = Configuration(environment: "staging", epoch: 3, revision: 0)
        let applied = try empty.applying(source.document)
        let made = applied.configuration
        #expect(made.revision == 1)
        #expect(made.flows == source.flows && made.flags == source.flags && made.cohorts == source.cohorts)
        #expect(made.builds == source.builds)
        #expect(made.routes["trips.edit"]?.plan == source.routes["trips.edit"]?.plan)
        #expect(made.routes["trips.edit"]?.stage == .notStarted)
        let remaining = source.document.remaining(in: made, base: .current, at: noon)
        #expect(
            remaining.filter { !$0.path.hasPrefix("/conditions") }
                == [.init(path: "/routes/trips.edit/stage", verb: "signalbox route advance trips.edit")])
        let again = try made.applying(source.document)
        #expect(again.audit == nil && again.rows.isEmpty)
    }

    @Test func `is one change that can be taken back`() throws {
        let before = try Configuration.example
        let document = try before.document {
            $0.set("new owner", at: "flows", "trips", "owner")
            $0.set(nil, at: "flags", "new-search")
            $0.set(["key": "vip", "rule": ["==": [1, 1]]], at: "cohorts", "vip")
            $0.set("rolledBack", at: "routes", "trips.edit", "status")
            $0.set("mia", at: "routes", "trips.list", "owner")
        }
        let applied = try before.applying(document)
        let audit = try #require(applied.audit)
        #expect(audit.action == "config.apply")
        #expect(applied.configuration.flags.isEmpty)
        #expect(applied.configuration.flows["trips"]?.owner == "new owner")
        var undone = applied.configuration
        let isUndone = undone.undo(subject: audit.subject, before: audit.before, after: audit.after)
        #expect(isUndone)
        undone.revision = before.revision
        #expect(undone == before)
        var stored = before
        for row in applied.rows { stored.store(row) }
        stored.revision += 1
        #expect(stored == applied.configuration)
    }

    @Test func `keeps what others changed, and conflicts where both did`() throws {
        let base = try Configuration.example
        let edit = try base.document { $0.set("mine", at: "routes", "trips.edit", "owner") }
        var other = RouteFields()
        other.owner = "theirs"
        let elsewhere = try base.after(.editRoute(key: "trips.list", other))
        let merged = try elsewhere.applying(edit, .earlier(base.document)).configuration
        #expect(merged.routes["trips.list"]?.owner == "theirs")
        #expect(merged.routes["trips.edit"]?.owner == "mine")
        let same = try base.after(.editRoute(key: "trips.edit", other))
        #expect(
            same.refusal(of: .applyDocument(edit, .earlier(base.document), allowsReshuffle: false))?.code
                == .documentConflict)
        other.owner = "mine"
        let agreed = try base.after(.editRoute(key: "trips.edit", other))
        #expect(try agreed.applying(edit, .earlier(base.document)).audit == nil)
    }

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

    @Test func `of a route that was being rehearsed is applied like any other`() throws {
        let before = try Configuration.example(at: .compatible)
        let rehearsed = try before.after(.rehearse(route: "trips.edit", cohort: "internal", seconds: 600))
        let edited = try rehearsed.document { $0.set("mia", at: "routes", "trips.edit", "owner") }
        let applied = try before.applying(edited)
        #expect(applied.configuration.routes["trips.edit"]?.owner == "mia")
        #expect(applied.configuration.routes["trips.edit"]?.rehearsal == nil)
        #expect(edited.remaining(in: applied.configuration, base: .current, at: noon).isEmpty)
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

    @Test func `names an override as it is`() throws {
        let configuration = try Configuration.example(at: .compatible)
        let override = Override(
            id: Override.ID(route: "trips.edit", unit: "q"), renderer: .legacy, owner: "qa", reason: "r",
            expiresAt: noon + 3_600_000)
        let wrong = try configuration.document { $0.set(.object(override.json), at: "overrides", "trips.edit/zzz") }
        #expect(throws: RolloutError.self) { try configuration.applying(wrong) }
        let right = try configuration.document { $0.set(.object(override.json), at: "overrides", "trips.edit/q") }
        #expect(try configuration.applying(right).configuration.overrides[override.id] == override)
    }

    /// Whole chains at once, in any order; what is too deep is refused as everywhere, and not tried one by one.
    @Test func `takes cohorts that name one another at once`() throws {
        let configuration = try Configuration.example
        func chain(_ count: Int) throws -> ConfigurationDocument {
            try configuration.document { json in
                for index in 0..<count {
                    let rule: JSONValue = index == count - 1 ? ["==": [1, 1]] : ["$ref": .string("c\(index + 1)")]
                    json.set(["key": .string("c\(index)"), "rule": rule], at: "cohorts", "c\(index)")
                }
            }
        }
        let made = try configuration.applying(chain(30)).configuration
        #expect(made.cohorts.count == configuration.cohorts.count + 30)
        let refusal = Result { try configuration.applying(chain(900)) }
        #expect(throws: RolloutError.self) { try refusal.get() }
    }

    /// The keys run against the chain, in both directions.
    @Test(arguments: [true, false]) func `takes and leaves long chains of routes and cohorts`(isAscending: Bool) throws
    {
        let configuration = try Configuration.example
        let count = 300
        func name(_ index: Int) -> String { "x\(1_000 + (isAscending ? index : count - index))" }
        let chain = try configuration.document { json in
            for index in 0..<count {
                let next = index + 1 == count ? [] : [JSONValue.string(name(index + 1))]
                json.set(
                    [
                        "key": .string(name(index)), "flow": "trips", "requires": .array(next), "status": "active",
                        "stage": "notStarted", "step": 0,
                    ], at: "routes", name(index))
            }
        }
        let made = try configuration.applying(chain).configuration
        #expect(made.routes.count == configuration.routes.count + count)
        #expect(made.routes[name(7)]?.requires == [name(8)])
        #expect(try made.applying(chain).audit == nil)
        // A cohort may name no more than a few in a row, so the chain is made in the store.
        var named = configuration
        for index in 0..<count {
            let rule: JSONValue = index + 1 == count ? ["==": [1, 1]] : ["$ref": .string(name(index + 1))]
            named.cohorts[name(index)] = Cohort(key: name(index), rule: rule)
        }
        #expect(try named.applying(configuration.document).configuration.cohorts == configuration.cohorts)
    }

    @Test func `takes routes that exclude one another at once`() throws {
        let configuration = try Configuration.example
        let pairs = try configuration.document { json in
            for (key, other) in [("p", "q"), ("q", "p")] {
                json.set(
                    [
                        "key": .string(key), "flow": "trips", "excludes": [.string(other)], "status": "active",
                        "stage": "notStarted", "step": 0,
                    ], at: "routes", key)
            }
        }
        let made = try configuration.applying(pairs).configuration
        #expect(made.routes["p"]?.excludes == ["q"] && made.routes["q"]?.excludes == ["p"])
        #expect(made.revision == configuration.revision + 1)
    }

    @Test func `counts the overrides of each route, also when a thousand come at once`() throws {
        let before = try Configuration.example(at: .compatible)
        func document(_ count: Int) throws -> ConfigurationDocument {
            try before.document { json in
                for index in 0..<count {
                    let override = Override(
                        id: Override.ID(route: "trips.edit", unit: "u\(index)"), renderer: .legacy, owner: "qa",
                        reason: "a test", expiresAt: noon + day)
                    json.set(.object(override.json), at: "overrides", override.id.text)
                }
            }
        }
        #expect(try before.applying(document(500)).configuration.overrides.count == 500)
        let tooMany = Command.applyDocument(try document(501), .current, allowsReshuffle: false)
        #expect(before.refusal(of: tooMany)?.code == .overrideNotAllowed)
        let full = try before.applying(document(500)).configuration
        #expect(try full.applying(before.document).configuration.overrides.count == 500)
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

    /// The flag that is large with the cohort is made small by the same document.
    @Test func `takes a cohort that fits once a flag of the same document has changed`() throws {
        func flag(_ times: Int) -> JSONObject {
            let rules = (0..<times).map { _ in JSONValue.object(["$ref": "wide"]) }
            return [
                "state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "off",
                "targeting": ["if": [["or": .array(rules)], "on", "off"]],
            ]
        }
        func rule(_ count: Int) -> JSONValue {
            ["or": .array((0..<count).map { ["==": [["var": "team"], .string("t\($0)")]] })]
        }
        let configuration = try Configuration.example.after(
            .putCohort(key: "wide", rule: rule(2), isStrict: true)
        ).after(.putFlag(key: "many", definition: .object(flag(100)), isStrict: true))
        let wider = try configuration.document { $0.set(rule(3_000), at: "cohorts", "wide", "rule") }
        #expect(throws: RolloutError.self) { try configuration.applying(wider) }
        let both = try configuration.document { json in
            json.set(rule(3_000), at: "cohorts", "wide", "rule")
            json.set(.object(flag(1)), at: "flags", "many", "definition")
        }
        #expect(try configuration.applying(both).configuration.cohorts["wide"]?.rule == rule(3_000))
    }

    @Test func `rolls back and holds, which narrow`() throws {
        let before = try Configuration.example("trips.edit", at: .partialRollout, step: 1)
        for (status, verb) in [("rolledBack", RouteStatus.rolledBack), ("held", .held)] {
            let document = try before.document { $0.set(.string(status), at: "routes", "trips.edit", "status") }
            #expect(try before.applying(document).configuration.routes["trips.edit"]?.status == verb)
        }
    }

    @Test func `that drops routes is refused, and says when journeys are in flight`() throws {
        let before = try Configuration.example
        let document = try before.document { $0.set(nil, at: "routes", "orders.detail") }
        let command = Command.applyDocument(document, .current, allowsReshuffle: false)
        var pins = LivePins()
        pins.legacy[BuildID(app: "app", number: 730)] = 1
        for (live, code) in [([:], RolloutError.Code.removalNotPossible), (["orders.detail": pins], .routesInFlight)] {
            #expect(throws: RolloutError.self) {
                try before.applying(command, by: eve, reason: "r", facts: Facts(livePins: live), at: noon)
            }
            do throws(RolloutError) {
                _ = try before.applying(command, by: eve, reason: "r", facts: Facts(livePins: live), at: noon)
            } catch {
                #expect(error.code == code)
            }
        }
        #expect(try before.applying(document, .rollback).audit == nil)
    }

    @Test func `with another id of a flow is refused`() throws {
        let before = try Configuration.example
        let document = try before.document {
            $0.set("01890a5d-ac96-774b-bcce-b302099a8059", at: "flows", "trips", "id")
        }
        #expect(before.refusal(of: .applyDocument(document, .current, allowsReshuffle: false))?.code == .flowMismatch)
    }

    static let damage: [@Sendable (inout JSONObject) -> Void] = [
        { $0["signalbox"] = 2 }, { $0["flows"] = nil }, { $0["more"] = 1 }, { $0["revision"] = "1" },
        { $0.set(7, at: "flows", "trips") }, { $0.set("no", at: "routes", "trips.edit", "status") },
        { $0.set("x", at: "routes", "trips.edit", "key") }, { $0.set(["x": 1], at: "cohorts", "internal") },
        { $0.set("", at: "flows", "trips", "owner") }, { $0.set(["nope"], at: "routes", "trips.edit", "requires") },
        { $0.set(["key": "a", "definition": ["variants": 7]], at: "flags", "a") },
    ]

    @Test(arguments: damage.indices)
    func `that is none is refused as a whole`(_ index: Int) throws {
        let before = try Configuration.example
        let change = Self.damage[index]
        func apply() throws { _ = try before.applying(try before.document { change(&$0) }) }
        #expect(throws: RolloutError.self) { try apply() }
    }

    @Test func `brings back an earlier state, but for what widens`() throws {
        let before = try Configuration.example
        var after = try before.after(.removeFlag(key: "new-search"))
        after = try after.after(.putCohort(key: "vip", rule: ["==": [1, 1]], isStrict: false))
        after = try after.after(.registerRoute(key: "trips.new", flow: "trips", RouteFields()))
        let back = try after.applying(before.document, .rollback).configuration
        #expect(back.flags == before.flags && back.cohorts == before.cohorts)
        #expect(back.routes["trips.new"] != nil)
        #expect(
            before.document.remaining(in: back, base: .rollback, at: noon).map(\.path) == ["/routes/trips.new"])
    }
}

@Suite struct `Random documents` {
    /// Who gets migrated, of some units of each kind of person, on the routes of the flow.
    static func migrated(_ configuration: Configuration) -> Set<String> {
        let flags = configuration.flagSet()
        var found: Set<String> = []
        for attributes in [[:], ["team": "internal"], ["channel": "beta"]] as [JSONObject] {
            for unit in 0..<60 {
                for route in ["trips.edit", "trips.list"] {
                    let context = EvaluationContext(targetingKey: "unit-\(unit)", attributes: attributes)
                    if flags.evaluation(of: route, for: context, at: noon / 1_000).variant == "migrated" {
                        found.insert("\(route) \(unit) \(JSONValue.object(attributes).jsonText)")
                    }
                }
            }
        }
        return found
    }

    @Test(arguments: 0..<40) func `give migrated to nobody who did not have it, and applying again does nothing`(
        seed: Int
    ) throws {
        var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func pick<Element>(_ elements: [Element]) -> Element {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return elements[Int(state >> 33) % elements.count]
        }
        var before = try Configuration.example
        for key in ["trips.edit", "trips.list"] {
            var route = try before.route(key)
            route.stage = pick([.compatible, .partialRollout, .partialRollout, .defaultNew])
            route.step = route.stage == .partialRollout ? pick([1, 2, 3]) : 0
            route.status = route.stage == .partialRollout ? pick([.active, .held, .rolledBack]) : .active
            route.plan?.holdout = pick([0, 10_000])
            before.store(.route(route))
            for unit in ["unit-1", "unit-2"] {
                before.store(
                    .override(
                        Override(
                            id: Override.ID(route: key, unit: unit), renderer: pick([.legacy, .migrated]), owner: "o",
                            reason: "r", expiresAt: noon + day)))
            }
        }
        let document = try before.document { json in
            for key in ["trips.edit", "trips.list"] {
                let changes: [(inout JSONObject) -> Void] = [
                    { $0.set("defaultNew", at: "routes", key, "stage") },
                    { $0.set("oldDeleted", at: "routes", key, "stage") },
                    { $0.set(4, at: "routes", key, "step") },
                    { $0.set("active", at: "routes", key, "status") },
                    { $0.set("rolledBack", at: "routes", key, "status") },
                    { $0.set("held", at: "routes", key, "status") },
                    { $0.set(0, at: "routes", key, "plan", "holdout") },
                    { $0.set(["steps": [["cohort": nil, "share": 90_000]]], at: "routes", key, "plan") },
                    { $0.set(nil, at: "overrides", "\(key)/unit-1") },
                    { $0.set("migrated", at: "overrides", "\(key)/unit-2", "renderer") },
                    { $0.set("legacy", at: "overrides", "\(key)/unit-1", "renderer") },
                    { $0.set(.integer(noon + 1_000), at: "overrides", "\(key)/unit-2", "expiresAt") },
                    { $0.set(["==": [1, 1]], at: "cohorts", "internal", "rule") },
                    { $0.set("trust", at: "settings", "unknownBuild") },
                    { $0.set("mia", at: "routes", key, "owner") },
                ]
                for _ in 0..<4 { pick(changes)(&json) }
            }
        }
        let applied: AppliedCommand
        do throws(RolloutError) {
            applied = try before.applying(
                .applyDocument(document, .current, allowsReshuffle: false), by: eve, reason: "r", facts: .example,
                at: noon)
        } catch {
            return
        }
        #expect(Self.migrated(applied.configuration).subtracting(Self.migrated(before)).isEmpty)
        var later = applied.configuration
        later.revision = before.revision
        #expect(try later.applying(document).audit == nil)
        var undone = applied.configuration
        if let audit = applied.audit {
            let isUndone = undone.undo(subject: audit.subject, before: audit.before, after: audit.after)
            #expect(isUndone)
            undone.revision = before.revision
            #expect(undone == before)
        }
    }
}
