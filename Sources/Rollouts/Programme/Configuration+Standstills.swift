import RouteContract

extension Need {
    /// How long a stage between the first and the last, or a step of the ladder, may last before somebody should look.
    static let patienceMilliseconds: Int64 = 90 * 86_400_000
}

extension Configuration {
    /// Whether the route stands where the gate on the routes that it requires would not let it go now.
    ///
    /// An advance never leads there; a rollback or a retreat of a required route does, or an edit of `requires`. It counts
    /// where a required route has not reached the stage of this one or, beyond `compatible`, where it is rolled back or an
    /// island; not while this one is itself rolled back or an island, because then it is ahead of nothing. What it
    /// `excludes` does not count: of two such routes neither is ahead.
    func advances(of route: RouteRollout) -> [Need] {
        guard route.status == .active || route.status == .held,
            let waiting = waiting(for: route, entering: route.stage), let first = waiting.first
        else { return [] }
        let more = waiting.count > 1 ? " and \(waiting.count - 1) more" : ""
        return [route.need(.ahead, "of \(first.key)\(more) (\(first.why))", "route gates \(first.key)")]
    }

    /// What keeps an active route from moving, where it should have moved or a person can move it.
    ///
    /// A step of the ladder should have moved once its hold time is over; one without a hold time, and every stage, after
    /// 90 days. Units, evidence and stop conditions are judged as its gates are. A route with a stop that is not cleared up
    /// is stopped, not stuck.
    func standstills(
        of route: RouteRollout, among surroundings: GateSurroundings, facts: Facts, at now: Int64
    ) -> [Need] {
        guard route.status == .active, route.stop == nil else { return [] }
        if let need = nextMoveNeed(of: route, among: surroundings, facts: facts, at: now) { return [need] }
        let since = max(route.stageSince, route.stepSince)
        let lasted = since.milliseconds(until: now)
        guard route.isUnderWay, lasted > Need.patienceMilliseconds else { return [] }
        let span = Configuration.span(seconds: lasted / 1_000)
        return [route.need(.stuck, since: since, "\(route.position) for \(span)", "route gates \(route.key)")]
    }

    /// What the next move waits for: an approval that nothing else holds up, or whatever keeps a step beyond its hold time.
    private func nextMoveNeed(
        of route: RouteRollout, among surroundings: GateSurroundings, facts: Facts, at now: Int64
    ) -> Need? {
        let holdEnd = route.holdEnd
        let isHeldLongEnough = holdEnd.map { $0 <= now } ?? false
        let waitsForApproval = self.waitsForApproval(route)
        guard isHeldLongEnough || waitsForApproval, let move = route.nextMove else { return nil }
        let isClimbed = route.isClimbed(toward: move)
        let gates = surroundings.configuration(around: route).gates(of: route, toward: move, facts: facts, at: now)
        let isMonitored = isClimbed && (route.plan?.step(route.step)?.isMonitored ?? false)
        let inTheWay = gates.filter { isMonitored ? !$0.isPassed : $0.isFailing }
        if waitsForApproval, inTheWay.map(\.name) == ["approval"] {
            let since = route.stage == .partialRollout ? holdEnd ?? route.stepSince : nil
            return route.need(.toApprove, since: since, move.name, "route approve \(route.key) --reason …")
        }
        guard isHeldLongEnough else { return nil }
        guard let first = inTheWay.first else {
            // The service takes it within seconds.
            guard !isClimbed else { return nil }
            return route.need(
                .stuck, since: holdEnd, "nothing holds \(move.name), and step \(route.step) is over",
                "route advance \(route.key) --reason …")
        }
        let holds = inTheWay.count > 1 ? "and \(inTheWay.count - 1) more hold" : "holds"
        return route.need(
            .stuck, since: holdEnd, "\(first.name) \(holds) \(move.name): \(first.reason)", "route gates \(route.key)")
    }
}

extension RouteRollout {
    /// Whether the service itself makes that move.
    fileprivate func isClimbed(toward move: NextMove) -> Bool {
        if case .step = move { plan?.advance == .automatic } else { false }
    }
}

extension GateResult {
    /// Why it does not pass.
    fileprivate var reason: String {
        switch verdict {
        case .pass: ""
        case .fail(let reason), .unknown(let reason): reason
        }
    }
}
