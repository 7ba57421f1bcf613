import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `The restore policy of a route` {
    private func setting(_ policy: RestorePolicy) -> Command {
        var fields = RouteFields()
        fields.restore = policy
        return .editRoute(key: "trips.edit", fields)
    }

    private func apply(_ command: Command, to configuration: Configuration, _ facts: Facts) throws -> Configuration {
        try configuration.applying(command, by: ana, reason: "test", facts: facts, at: noon).configuration
    }

    private func refusal(of command: Command, in configuration: Configuration, _ facts: Facts) -> RolloutError.Code? {
        do throws(RolloutError) {
            _ = try configuration.applying(command, by: ana, reason: "test", facts: facts, at: noon)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `is keepPin until fixtures show that both renderers take what was saved`() throws {
        let configuration = try Configuration.example
        #expect(try configuration.route("trips.edit").restore == .keepPin)
        #expect(refusal(of: setting(.redecide), in: configuration, Facts()) == .restoreNotProven)
        let others = EvidenceItem.Kind.allCases.filter { $0 != .restorationFixtures }
        let facts = Facts(evidence: EvidenceLedger(others.map { .passing($0, of: "trips.edit") }))
        #expect(refusal(of: setting(.redecide), in: configuration, facts) == .restoreNotProven)
    }

    @Test func `may be redecide with that evidence, and asks for it again when the contract changes`() throws {
        let configuration = try apply(setting(.redecide), to: try .example, .example)
        let route = try configuration.route("trips.edit")
        #expect(route.restore == .redecide)
        #expect(try RouteRollout(json: route.json) == route)
        var fields = RouteFields()
        fields.owner = "somebody"
        #expect(refusal(of: .editRoute(key: "trips.edit", fields), in: configuration, Facts()) == nil)
        fields.contract = RegisteredContract(schemaVersion: 2, payload: [:], outcomes: ["saved"])
        #expect(
            refusal(of: .editRoute(key: "trips.edit", fields), in: configuration, .example) == .restoreNotProven)
        #expect(try apply(setting(.keepPin), to: configuration, Facts()).route("trips.edit").restore == .keepPin)
    }

    @Test func `is left out of a route's JSON while it says nothing`() throws {
        #expect(try Configuration.example.route("trips.edit").json["restore"] == nil)
    }
}
