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

    @Test func `of a route that was being rehearsed is applied like any other`() throws {
        let before = try Configuration.example(at: .compatible)
        let rehearsed = try before.after(.rehearse(route: "trips.edit", cohort: "internal", seconds: 600))
        let edited = try rehearsed.document { $0.set("mia", at: "routes", "trips.edit", "owner") }
        let applied = try before.applying(edited)
        #expect(applied.configuration.routes["trips.edit"]?.owner == "mia")
        #expect(applied.configuration.routes["trips.edit"]?.rehearsal == nil)
        #expect(edited.remaining(in: applied.configuration, base: .current, at: noon).isEmpty)
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

    @Test func `lets cohorts stay that are named by what stays, directly or through others`() throws {
        let before = try Configuration.example
        var (after, fields) = (before, RouteFields.complete)
        for (key, rule) in [("inner", ["==": [1, 1]]), ("outer", ["$ref": "inner"]), ("spare", ["==": [1, 1]])]
            as [(String, JSONValue)]
        {
            after = try after.after(.putCohort(key: key, rule: rule, isStrict: false))
        }
        fields.plan = RolloutPlan(steps: [.init(cohort: "outer", share: 100_000)])
        after = try after.after(.registerRoute(key: "trips.new", flow: "trips", fields))
        let back = try after.applying(before.document, .rollback).configuration
        #expect(Set(back.cohorts.keys) == ["beta", "inner", "internal", "outer"])
        let remaining = before.document.remaining(in: back, base: .rollback, at: noon)
        #expect(
            remaining.map(\.verb) == [
                "stays: it is named by cohort/outer", "stays: it is named by route/trips.new",
                "stays: routes are not removed",
            ])
        #expect(try back.applying(before.document, .rollback).audit == nil)
        let dropped = try after.document { $0.set(nil, at: "cohorts", "outer") }
        #expect(
            after.refusal(of: .applyDocument(dropped, .current, allowsReshuffle: false))?.code == .cohortInUse)
    }
}
