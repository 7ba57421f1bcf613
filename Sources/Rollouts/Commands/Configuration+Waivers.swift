import FlagEvaluation
import RouteContract

extension Configuration {
    /// The longest time that a waiver may hold: 90 days.
    package static let longestWaiverMilliseconds: Int64 = 90 * 86_400_000
    /// The most waivers that a route may have at one time.
    package static let mostWaivers = 100

    /// The waivers of a route by gate and move, those that have ended included.
    package func waivers(of route: String) -> [Waiver] {
        waivers.values.filter { $0.id.route == route }.sorted { $0.id < $1.id }
    }

    /// The waiver that passes a gate by now: one for that very move rather than one for every move.
    func waiver(for gate: String, of route: String, toward move: String, at now: Int64) -> Waiver? {
        [move, nil].lazy.compactMap { waivers[Waiver.ID(route: route, gate: gate, move: $0)] }
            .first { $0.holds(at: now) }
    }

    func grantingWaiver(
        _ id: Waiver.ID, until expiresAt: Int64, by actor: Actor, because reason: String, at now: Int64
    ) throws(RolloutError) -> Change? {
        guard actor.role == .approver || actor.role == .admin else {
            throw RolloutError(
                .notAllowed, "Only the roles approver and admin may waive a gate, not \(actor.role.rawValue).")
        }
        let route = try self.route(id.route)
        try check(id, of: route)
        let latest = now.addingReportingOverflow(Self.longestWaiverMilliseconds).partialValue
        guard expiresAt > now, expiresAt <= latest else {
            throw .invalidField("/expiresAt", "a time to come, at most 90 days ahead")
        }
        let before = waivers[id]
        if let before, before.approver == actor.name, before.reason == reason, before.expiresAt == expiresAt {
            return nil
        }
        let ended = waivers(of: id.route).filter { !$0.holds(at: now) && $0.id != id }
        guard before != nil || waivers(of: id.route).count - ended.count < Self.mostWaivers else {
            throw RolloutError(.tooMany, "A route has at most \(Self.mostWaivers) waivers.")
        }
        let waiver = Waiver(id: id, approver: actor.name, reason: reason, grantedAt: now, expiresAt: expiresAt)
        let replaced = ([before].compactMap { $0 } + ended).map(\.json)
        return Change(
            "waiver.grant", "waiver/\(id.route)",
            before: replaced.isEmpty ? .null : ["waivers": .objects(replaced)], after: .object(waiver.json),
            rows: [.waiver(waiver)] + ended.map { .removedWaiver($0.id) })
    }

    func revokingWaiver(_ id: Waiver.ID) throws(RolloutError) -> Change? {
        _ = try route(id.route)
        guard let waiver = waivers[id] else {
            throw RolloutError(.waiverNotFound, "There is no such waiver of \"\(id.route)\".")
        }
        return Change(
            "waiver.revoke", "waiver/\(id.route)", before: ["waivers": .objects([waiver.json])], after: .null,
            rows: [.removedWaiver(id)])
    }

    /// Refuses a waiver of what is no gate of that move, or a hard one.
    private func check(_ id: Waiver.ID, of route: RouteRollout) throws(RolloutError) {
        let moves = Stage.allCases.map { NextMove.stage($0) } + route.steps.map { NextMove.step($0) }
        let asked = moves.filter { id.move == nil || $0.name == id.move }
        guard !asked.isEmpty else {
            throw .invalidField("/move", "a stage or a step of the plan, such as \"defaultNew\" or \"step 2\"")
        }
        let gates = asked.flatMap { self.gates(of: route, toward: $0, at: 0) }.filter { $0.name == id.gate }
        guard !gates.isEmpty else {
            throw RolloutError(
                .waiverNotAllowed, "There is no gate \"\(id.gate)\"" + (id.move.map { " to \($0)." } ?? "."))
        }
        guard gates.contains(where: \.mayBeWaived) else {
            throw RolloutError(.waiverNotAllowed, "The gate \"\(id.gate)\" is hard: nobody can waive it.")
        }
    }
}

extension RouteRollout {
    /// The steps of the plan, counted from 1.
    fileprivate var steps: [Int] { (plan?.steps ?? []).indices.map { $0 + 1 } }
}
