import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `What a document leaves to the verbs` {
    /// What remains of the document that the change makes, by path.
    private static func remaining(
        in configuration: Configuration, _ change: (inout JSONObject) -> Void
    ) throws -> [String: String] {
        let document = try configuration.document(change)
        let after = try configuration.applying(document).configuration
        let listed = document.remaining(in: after, base: .current, at: noon).map { ($0.path, $0.verb) }
        return Dictionary(listed) { first, _ in first }
    }

    private static func status(_ wanted: String, of configuration: Configuration) throws -> String? {
        try remaining(in: configuration) { $0.set(.string(wanted), at: "routes", "trips.edit", "status") }[
            "/routes/trips.edit/status"]
    }

    private static func override(_ unit: String, _ renderer: Renderer, of route: String = "trips.edit") -> Override {
        Override(
            id: Override.ID(route: route, unit: unit), renderer: renderer, owner: "qa", reason: "r",
            expiresAt: noon + day)
    }

    @Test(
        arguments: [
            ("q.7_A@b:c-d", "q.7_A@b:c-d"), ("$(touch x); ls", "…"), ("a b", "…"), ("-x", "…"), ("a\nb", "…"),
            ("é", "…"), ("`x`", "…"), ("a'b", "…"),
        ])
    func `carries a unit only where a shell takes it for itself`(unit: String, shown: String) throws {
        var configuration = try Configuration.example(at: .compatible)
        let held = Self.override(unit, .legacy)
        configuration.store(.override(held))
        let cleared = try Self.remaining(in: configuration) { $0.set(nil, at: "overrides", held.id.text) }
        #expect(Array(cleared.values) == ["signalbox override clear trips.edit --unit \(shown)"])
        let wished = Self.override(unit, .migrated, of: "x;reboot")
        let set = try Self.remaining(in: configuration) {
            $0.set(.object(wished.json), at: "overrides", wished.id.text)
        }
        #expect(Array(set.values) == ["signalbox override set … --unit \(shown) --renderer migrated"])
    }

    @Test func `says of a cohort whether it decides now, or would when a ladder climbs by itself`() throws {
        var configuration = try Configuration.example(at: .partialRollout, step: 1)
        let rule: JSONValue = ["==": [1, 1]]
        let deciding = try Self.remaining(in: configuration) { $0.set(rule, at: "cohorts", "internal", "rule") }
        #expect(
            deciding == [
                "/cohorts/internal": "signalbox cohort set internal --rule … --force: it decides now for trips.edit"
            ])
        configuration.routes["trips.edit"]?.plan?.advance = .automatic
        let climbed = try Self.remaining(in: configuration) { $0.set(rule, at: "cohorts", "beta", "rule") }
        #expect(
            climbed == [
                "/cohorts/beta": "signalbox cohort set beta --rule …: a ladder that climbs by itself comes to it"
            ])
    }

    @Test func `asks for a cause where a resume does, and resumes what is to be held`() throws {
        let rolledBack = try Configuration.example(at: .partialRollout, .rolledBack)
        let resume = "signalbox route resume trips.edit"
        #expect(try Self.status("active", of: rolledBack) == "\(resume) --cause …")
        #expect(try Self.status("held", of: rolledBack) == "\(resume) --cause …, then hold")
        var held = try Configuration.example(at: .partialRollout, .held, step: 1)
        #expect(try Self.status("active", of: held) == resume)
        held.routes["trips.edit"]?.stop = RouteStop(condition: "crash", hash: "", at: noon)
        #expect(try Self.status("active", of: held) == "\(resume) --cause …")
    }

    @Test func `advances nothing that is rolled back, and to no step that is none`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 2)
        let rolledBack = try Self.remaining(in: configuration) {
            $0.set("rolledBack", at: "routes", "trips.edit", "status")
        }
        #expect(rolledBack == ["/routes/trips.edit/step": "stays: a route that is rolled back does not advance"])
        for step: Int64 in [-1, 5, .max, .min] {
            let none = try Self.remaining(in: configuration) {
                $0.set(.integer(step), at: "routes", "trips.edit", "step")
            }
            #expect(none == ["/routes/trips.edit/step": "stays: there is no such step"])
        }
        let further = try Self.remaining(in: configuration) { $0.set(4, at: "routes", "trips.edit", "step") }
        #expect(further == ["/routes/trips.edit/step": "signalbox route advance trips.edit"])
    }

    @Test func `says of a plan what stays`() throws {
        let configuration = try Configuration.example(at: .partialRollout, step: 1)
        let wider: JSONValue = ["steps": [["cohort": nil, "share": 100_000]]]
        let verb = try Self.remaining(in: configuration) { $0.set(wider, at: "routes", "trips.edit", "plan") }
        #expect(
            verb["/routes/trips.edit/plan"]
                == "signalbox route plan trips.edit, where that may: what gives more or asks for less than the ladder that "
                + "decides now stays")
    }
}
