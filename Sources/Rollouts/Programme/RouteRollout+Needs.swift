import RouteContract

extension Need {
    /// How old a step may be at which a route is held before that is overdue. When a hold began is not stored.
    static let heldStepMilliseconds: Int64 = 14 * 86_400_000
    /// How long before its end a waiver is told of.
    static let waiverMilliseconds: Int64 = 7 * 86_400_000
}

extension RouteRollout {
    /// What has taken migrated away from some or all, or frozen the ladder.
    var interruptions: [Need] {
        var needs: [Need] = []
        if status == .rolledBack {
            needs.append(need(.rolledBack, since: stepSince, "from \((rolledBackFrom ?? stage).rawValue)", resuming))
        }
        // An island gives legacy on purpose; to resume it would end that.
        if let stop, status != .island {
            needs.append(need(.stopped, since: stop.at, "by the condition \(stop.condition)", resuming))
        }
        if let first = exclusions.first {
            let more = exclusions.count > 1 ? " and \(exclusions.count - 1) more" : ""
            needs.append(
                need(
                    .rolledBackInPart, since: first.since, "\(first.scope.text)\(more): \(first.reason)",
                    "route resume \(key) --scope \(first.id) --reason …"))
        }
        if status == .held { needs.append(need(.held, position, resuming)) }
        return needs
    }

    /// What should have been done by now. A day has passed when another has begun in UTC.
    func overdue(at now: Int64) -> [Need] {
        var needs: [Need] = []
        let today = CalendarDay(of: now)
        func hasPassed(_ date: String) -> Bool { CalendarDay(date).map { $0 < today } ?? false }
        let held = stepSince.milliseconds(until: now)
        if status == .held, held > Need.heldStepMilliseconds {
            let span = Configuration.span(seconds: held / 1_000)
            needs.append(need(.overdue, "held, and at this step for \(span)", resuming))
        }
        if let deletion, stage != .oldDeleted, hasPassed(deletion.date) {
            needs.append(
                need(.overdue, ownedBy: deletion.owner, "deletion due \(deletion.date)", "route show \(key)"))
        }
        if let island, status == .island, hasPassed(island.reviewDate) {
            needs.append(
                need(
                    .overdue, ownedBy: island.owner, "island review due \(island.reviewDate)",
                    "route island \(key) --owner … --review-date … --reason …"))
        }
        return needs
    }

    /// What was passed over on the way to where it stands.
    var gaps: [Need] {
        var needs: [Need] = []
        if let forced {
            needs.append(need(.forced, since: forced.at, "to \(forced.move) by \(forced.actor)", "route gates \(key)"))
        }
        if isUnderWay, owner == nil {
            needs.append(need(.noOwner, stage.rawValue, "route edit \(key) --owner … --reason …"))
        }
        return needs
    }

    /// The waivers of these that are for a move which the route may still make.
    func needs(for endingWaivers: [Waiver]) -> [Need] {
        endingWaivers.filter { isBefore($0.id.move) }.map { waiver in
            let move = waiver.id.move.map { " before \($0)" } ?? ""
            let day = CalendarDay(of: waiver.expiresAt).text
            return need(
                .waiverEnds, ownedBy: waiver.approver, "on \(day): \(waiver.id.gate)\(move)",
                "route gates \(key)")
        }
    }

    /// Whether the move of that name is still to come; nil stands for any move.
    private func isBefore(_ move: String?) -> Bool {
        let steps = (plan?.steps ?? []).indices.map { $0 + 1 }.filter {
            stage < .partialRollout || (stage == .partialRollout && $0 > step)
        }
        let names =
            Stage.allCases.filter { $0 > stage }.map { NextMove.stage($0).name } + steps.map { NextMove.step($0).name }
        return move.map(names.contains) ?? !names.isEmpty
    }

    /// The command that resumes it, with the cause where it takes one.
    private var resuming: String {
        let cause = stop != nil || status == .rolledBack ? " --cause …" : ""
        return "route resume \(key)\(cause) --reason …"
    }

    /// Whether its rollout has begun, is not interrupted and has not ended.
    var isUnderWay: Bool { status == .active && stage > .notStarted && stage < .oldDeleted }

    /// `partialRollout, step 2 of 4`
    var position: String {
        stage == .partialRollout ? "\(stage.rawValue), step \(step) of \(plan?.steps.count ?? 0)" : stage.rawValue
    }

    /// A need of this route. Who answers is its owner, unless somebody else does for that very thing.
    func need(
        _ kind: Need.Kind, ownedBy other: String? = nil, since: Int64? = nil, _ why: String, _ command: String
    ) -> Need {
        Need(
            kind: kind, route: key, owner: other ?? owner, since: since, why: why, remedy: "signalbox \(command)")
    }
}

extension Waiver {
    /// Whether it holds and ends soon.
    func isAboutToEnd(at now: Int64) -> Bool {
        holds(at: now) && now.milliseconds(until: expiresAt) <= Need.waiverMilliseconds
    }
}
