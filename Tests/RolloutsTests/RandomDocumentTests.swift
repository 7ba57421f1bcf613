import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

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
