import FlagEvaluation
import Testing

@testable import Rollouts

@Suite struct `An approval of a step` {
    private static let bob = Actor(name: "bob", role: .approver, keyID: "k-bob")
    private static let everybody: JSONValue = ["==": [1, 1]]

    /// At the first of three steps; the second adds the cohort `later`, which names `inner`. Approved by bob.
    private static func approved() throws -> Configuration {
        var second = step(100_000, approval: true)
        second.cohort = "later"
        var configuration = try Configuration.climbing(step(1_000), second, step(100_000), advance: .manual)
        configuration.cohorts["inner"] = Cohort(key: "inner", rule: ["==": [["var": "team"], "inner"]])
        configuration.cohorts["later"] = Cohort(key: "later", rule: ["$ref": "inner"])
        return try configuration.after(.move(.approve), by: bob)
    }

    private static func gate(_ configuration: Configuration) throws -> GateResult? {
        let route = try configuration.route("trips.edit")
        return configuration.gates(of: route, toward: .step(2), at: noon).first { $0.name == "approval" }
    }

    @Test(arguments: ["later", "inner"]) func `lapses when whom the step adds is changed`(cohort: String) throws {
        let approved = try Self.approved()
        #expect(try Self.gate(approved)?.verdict == .pass)
        for isDocument in [false, true] {
            let changed =
                isDocument
                ? try approved.applying(approved.document { $0.set(Self.everybody, at: "cohorts", cohort, "rule") })
                    .configuration
                : try approved.after(.putCohort(key: cohort, rule: Self.everybody, isStrict: true))
            #expect(changed.cohorts[cohort]?.rule == Self.everybody)
            let verdict = try Self.gate(changed)?.verdict
            #expect(
                verdict
                    == .fail("the cohort of step 2, or one that it names, has changed since bob approved it"))
            #expect(changed.refusal(of: .advance)?.code == .gateNotMet)
            // What is approved anew holds for the cohort as it is now.
            #expect(try changed.legalVerbs(of: changed.route("trips.edit")).contains("approve"))
            let again = try changed.after(.move(.approve), by: Self.bob)
            #expect(try again.after(.advance).route("trips.edit").step == 2)
        }
    }

    @Test func `holds while other cohorts change, and when its own is as it was again`() throws {
        let approved = try Self.approved()
        let other = try approved.after(.putCohort(key: "beta", rule: Self.everybody, isStrict: true))
        #expect(try Self.gate(other)?.verdict == .pass)
        #expect(try !other.legalVerbs(of: other.route("trips.edit")).contains("approve"))
        let rule = try approved.cohort("inner").rule
        let back = try approved.after(.putCohort(key: "inner", rule: Self.everybody, isStrict: true))
            .after(.putCohort(key: "inner", rule: rule, isStrict: true))
        #expect(try Self.gate(back)?.verdict == .pass)
    }

    @Test func `that does not say what it is for has lapsed`() throws {
        var configuration = try Self.approved()
        var json = try #require(try configuration.route("trips.edit").approval?.json)
        json["hash"] = nil
        configuration.routes["trips.edit"]?.approval = try StepApproval(json: json)
        #expect(
            try Self.gate(configuration)?.verdict == .fail("the approval of step 2 does not say of which cohort"))
        #expect(try !configuration.isRepeat(.move(.approve), by: Self.bob))
    }

    @Test func `lapses for an automatic ladder too, and is to be given again`() throws {
        var configuration = try Self.approved()
        configuration.routes["trips.edit"]?.plan?.advance = .automatic
        func due(_ configuration: Configuration) throws -> Int? {
            configuration.dueStep(of: try configuration.route("trips.edit"), lastLook: noon, at: noon)
        }
        #expect(try due(configuration) == 2)
        configuration.cohorts["inner"]?.rule = Self.everybody
        #expect(try due(configuration) == nil)
        let route = try configuration.route("trips.edit")
        let needs = configuration.standstills(
            of: route, among: GateSurroundings(in: configuration), facts: .example, at: noon)
        #expect(needs.map(\.kind) == [.toApprove])
    }
}
