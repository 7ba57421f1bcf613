import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

@Suite struct `A waiver` {
    private static func grant(
        _ gate: String, _ move: String? = nil, until end: Int64 = noon + day, route: String = "trips.edit"
    ) -> Command {
        .grantWaiver(Waiver.ID(route: route, gate: gate, move: move), expiresAt: end)
    }

    @Test func `passes one gate of one route by, until it ends`() throws {
        let bare = try Configuration.example(at: .compatible)
        let waived = try bare.after(Self.grant("parity")).after(Self.grant("rehearsal", "partialRollout"))
        func refused(_ configuration: Configuration, at now: Int64 = noon) -> Bool {
            (try? configuration.applying(.advance, by: eve, reason: "go", at: now)) == nil
        }
        #expect(refused(bare))
        #expect(!refused(waived))
        #expect(refused(waived, at: noon + day))
        let applied = try waived.applying(.advance, by: eve, reason: "go", at: noon)
        #expect(applied.audit?.after["waivedGates"] == ["trips.edit": ["parity", "rehearsal"]])
        #expect(applied.audit?.after["forced"] == nil)
        #expect(try applied.configuration.route("trips.edit").forced == nil)
    }

    @Test func `is for the move that it names`() throws {
        let waived = try Configuration.example.after(Self.grant("stopConditions", "defaultNew"))
        let route = try waived.route("trips.edit")
        let later = waived.gates(of: route, toward: .stage(.defaultNew), at: noon)
        #expect(later.first { $0.name == "stopConditions" }?.waiver?.approver == "ana")
        let sooner = waived.gates(of: route, toward: .stage(.partialRollout), at: noon)
        #expect(sooner.allSatisfy { $0.waiver == nil })
    }

    @Test(arguments: AccessKey.Role.allCases) func `is granted by approvers and admins`(role: AccessKey.Role) throws {
        let actor = Actor(name: "kim", role: role, keyID: "k")
        let error = try Configuration.example.refusal(of: Self.grant("parity"), by: actor)
        #expect(error?.code == (role == .approver || role == .admin ? nil : .notAllowed))
    }

    @Test(
        arguments: [
            ("bothRenderers", nil, .waiverNotAllowed), ("livePins", "oldDeleted", .waiverNotAllowed),
            ("stopConditions", "partialRollout", .waiverNotAllowed), ("nothing", nil, .waiverNotAllowed),
            ("parity", "defaultNew", .waiverNotAllowed), ("parity", "soon", .invalidField),
            ("parity", "step 9", .invalidField), ("stopConditions", "defaultNew", nil),
            ("parity", "partialRollout", nil),
        ] as [(String, String?, RolloutError.Code?)])
    func `names a gate that is not hard, and a move that there is`(
        gate: String, move: String?, code: RolloutError.Code?
    ) throws {
        var configuration = try Configuration.example
        configuration.builds = [:]
        #expect(configuration.refusal(of: Self.grant(gate, move))?.code == code)
    }

    @Test(arguments: [(noon, false), (noon + 90 * day, true), (noon + 90 * day + 1, false)] as [(Int64, Bool)])
    func `holds for at most 90 days`(end: Int64, isAccepted: Bool) throws {
        let error = try Configuration.example.refusal(of: Self.grant("parity", until: end))
        #expect(error?.code == (isAccepted ? nil : .invalidField))
    }

    @Test func `is renewed, repeated and ended`() throws {
        let granted = try Configuration.example.after(Self.grant("parity"))
        // The reason is the waiver's own, so the very same is said again.
        let again = try granted.applying(Self.grant("parity"), by: ana, reason: "a test", at: noon)
        #expect(again.audit == nil && again.rows.isEmpty)
        let renewed = try granted.after(Self.grant("parity", until: noon + 2 * day))
        #expect(renewed.waivers(of: "trips.edit").map(\.expiresAt) == [noon + 2 * day])
        let ended = try renewed.after(.revokeWaiver(Waiver.ID(route: "trips.edit", gate: "parity")))
        #expect(ended.waivers.isEmpty)
        #expect(
            ended.refusal(of: .revokeWaiver(Waiver.ID(route: "trips.edit", gate: "parity")))?.code == .waiverNotFound)
    }

    @Test func `that has ended goes when another is granted, and there are at most a hundred`() throws {
        var configuration = try Configuration.example.after(Self.grant("parity", until: noon + 1))
        configuration = try configuration.applying(
            Self.grant("rehearsal", until: noon + 9 * day), by: ana, reason: "x", at: noon + day
        ).configuration
        #expect(configuration.waivers.keys.map(\.gate) == ["rehearsal"])
        for number in 0..<99 {
            let id = Waiver.ID(route: "trips.edit", gate: "g\(number)")
            configuration.store(
                .waiver(Waiver(id: id, approver: "a", reason: "r", grantedAt: noon, expiresAt: noon + 9 * day)))
        }
        #expect(
            configuration.refusal(of: Self.grant("parity", until: noon + 2 * day), at: noon + day)?.code == .tooMany)
    }
}

@Suite struct `A forced move` {
    @Test func `is shown with the gates that it passed by, until the route moves on`() throws {
        let configuration = try Configuration.example(at: .compatible)
        let forced = try configuration.applying(
            .move(.advance(isForced: true)), by: ana, reason: "a demo", at: noon
        ).configuration
        let note = ForcedMove(
            move: "partialRollout", gates: ["parity", "rehearsal"], actor: "ana", reason: "a demo", at: noon)
        #expect(try forced.route("trips.edit").forced == note)
        #expect(try RouteRollout(json: try forced.route("trips.edit").json).forced == note)
        #expect(try forced.after(.move(.hold)).route("trips.edit").forced == note)
        #expect(try forced.after(.advance).route("trips.edit").forced == nil)
        #expect(try forced.after(.move(.rollback)).route("trips.edit").forced == nil)
    }

    @Test func `that had nothing to force is an ordinary one`() throws {
        let moved = try Configuration.example(at: .compatible).after(.move(.advance(isForced: true)))
        #expect(try moved.route("trips.edit").forced == nil)
    }
}
