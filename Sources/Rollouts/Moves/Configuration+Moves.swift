import FlagEvaluation
import RouteContract

extension Configuration {
    /// Moves a route, all routes of a flow or, for the verbs that narrow, all routes there are.
    ///
    /// A verb that widens moves all routes of a flow or none. One that narrows moves those that it can: a route that
    /// gives only legacy already, or one whose legacy entry is deleted, must not keep the others from being stopped. A
    /// resume takes back what such a verb did, so it passes over what that had passed over, islands too, and moves no
    /// other route.
    func moving(
        _ target: Target, by verb: Verb, of actor: Actor, because reason: String,
        facts: Facts, at now: Int64
    ) throws(RolloutError) -> Change? {
        if case .advance(isForced: true) = verb, actor.role != .admin {
            throw RolloutError(.notAllowed, "Only the role admin may force an advance, not \(actor.role.rawValue).")
        }
        if case .rollBack(_, let scope?) = verb { try check(scope) }
        switch target {
        case .route(let key):
            let before = try route(key)
            var after = try moved(before, by: verb, of: actor, because: reason, at: now)
            let passedBy = try checkGates(of: [before], by: verb, whenAllMoved: [after], facts: facts, at: now)
            after.forced =
                passedBy.forcedMove(of: before, by: verb, of: actor, because: reason, at: now) ?? after.forced
            let cleared = overridesCleared(by: verb, of: [before])
            guard after != before || !cleared.isEmpty else { return nil }
            return Change(
                "route.\(verb.name)", "route/\(key)", before: .object(before.json.noting(cleared)),
                after: .object(after.json.noting(verb, passedBy)),
                rows: [.route(after)] + cleared.map { .removedOverride($0.id) })
        case .flow(let key):
            _ = try flow(key)
            return try moving(
                routes(of: key), named: ("flow", key), mustMove: true, by: verb, of: actor, because: reason,
                facts: facts, at: now)
        case .all:
            guard verb.narrows else {
                throw RolloutError(
                    .illegalMove, "Only hold and rollback move all routes at once.",
                    details: ["legal": ["hold", "rollback"]])
            }
            return try moving(
                routes.values.sorted { $0.key < $1.key }, named: ("environment", environment), mustMove: false,
                by: verb, of: actor, because: reason, facts: facts, at: now)
        }
    }

    private func moving(
        _ all: [RouteRollout], named name: (kind: String, key: String), mustMove: Bool, by verb: Verb,
        of actor: Actor, because reason: String, facts: Facts, at now: Int64
    ) throws(RolloutError) -> Change? {
        var (before, after, skipped): ([RouteRollout], [RouteRollout], [String]) = ([], [], [])
        var refusal = RolloutError(
            .illegalMove, "The flow \"\(name.key)\" has no route to move.", details: ["legal": []])
        let isStopped = all.contains { $0.status == .held || $0.status == .rolledBack }
        for route in all {
            do throws(RolloutError) {
                if route.status == .island, verb.narrows || (verb.resumes && isStopped) { throw refusal }
                after.append(try moved(route, by: verb, of: actor, because: reason, at: now))
                before.append(route)
            } catch {
                guard verb.passesOver(error) else { throw error }
                if skipped.isEmpty { refusal = error }
                skipped.append(route.key)
            }
        }
        if before.isEmpty, mustMove { throw refusal }
        let passedBy = try checkGates(of: before, by: verb, whenAllMoved: after, facts: facts, at: now)
        for (index, route) in before.enumerated() {
            let forced = passedBy.forcedMove(of: route, by: verb, of: actor, because: reason, at: now)
            after[index].forced = forced ?? after[index].forced
        }
        let changed = zip(before, after).filter { $0 != $1 }
        let cleared = overridesCleared(by: verb, of: before)
        guard !changed.isEmpty || !cleared.isEmpty else { return nil }
        var result = JSONObject.routes(changed.map(\.1)).noting(verb, passedBy)
        if !skipped.isEmpty { result["skipped"] = .strings(skipped) }
        return Change(
            "\(name.kind).\(verb.name)", "\(name.kind)/\(name.key)",
            before: .object(.routes(changed.map(\.0)).noting(cleared)), after: .object(result),
            rows: changed.map { .route($0.1) } + cleared.map { .removedOverride($0.id) })
    }

    private func moved(
        _ route: RouteRollout, by verb: Verb, of actor: Actor, because reason: String, at now: Int64
    ) throws(RolloutError) -> RouteRollout {
        if case .advance = verb { try refuse(changesOf: route) }
        switch verb {
        case .rollBack where route.stage == .oldDeleted: throw legacyDeleted(route)
        case .rollBack(let level, let scope?):
            return try excluding(scope, at: level, from: route, of: actor, because: reason, at: now)
        case .lift(let scope): return try lifting(scope, from: route)
        case .approve: return try approving(route, by: actor, at: now)
        default:
            var after = route
            try after.apply(verb, because: reason, at: now)
            if after.stage != route.stage || after.step != route.step || after.stepSince != route.stepSince {
                after.stepRevision = revision.addingReportingOverflow(1).partialValue
            }
            return after
        }
    }

    /// The refusal to roll back where legacy is deleted, with the builds that could still obey.
    private func legacyDeleted(_ route: RouteRollout) -> RolloutError {
        let able = builds.values.filter { $0.renderers[route.key]?.contains(.legacy) ?? false }.map(\.id).sorted()
        let named = able.isEmpty ? "no registered build" : "only " + able.map(\.text).joined(separator: ", ")
        return RolloutError(
            .illegalMove, "The legacy entry of \"\(route.key)\" is deleted; \(named) could still open it.",
            details: [
                "route": .string(route.key), "stage": .string(route.stage.rawValue),
                "status": .string(route.status.rawValue), "legal": .strings(route.legalVerbs),
                "buildsWithLegacy": .strings(able.map(\.text)),
            ])
    }

    /// Refuses when a gate fails that is not forced; gives the names of those that were forced or waived, by route.
    ///
    /// Routes that move together may satisfy one another.
    private func checkGates(
        of routes: [RouteRollout], by verb: Verb, whenAllMoved after: [RouteRollout],
        facts: Facts, at now: Int64
    ) throws(RolloutError) -> PassedBy {
        var candidate = self
        for route in after { candidate.store(.route(route)) }
        var refused: [JSONObject] = []
        var lines: [String] = []
        var passedBy = PassedBy()
        for (route, moved) in zip(routes, after) {
            guard let (move, gates) = candidate.gates(before: verb, moves: route, to: moved, facts, at: now) else {
                continue
            }
            let waived = gates.filter { $0.waiver != nil }
            if !waived.isEmpty { passedBy.waived[route.key] = .strings(waived.map(\.name)) }
            let failing = gates.filter(\.isFailing)
            if failing.isEmpty { continue }
            if verb == .advance(isForced: true), failing.allSatisfy(\.mayBeForced) {
                passedBy.forced[route.key] = .strings(failing.map(\.name))
            } else {
                // To whoever forces, only what cannot be forced is in the way.
                let inTheWay = verb == .advance(isForced: true) ? failing.filter { !$0.mayBeForced } : failing
                lines.append("\(route.key) (\(inTheWay.map(\.name).joined(separator: ", ")))")
                refused.append([
                    "route": .string(route.key), "move": .string(move.name),
                    "gates": .array(gates.map { .object($0.json) }),
                ])
            }
        }
        guard var details = refused.first else { return passedBy }
        if refused.count > 1 { details["routes"] = .array(refused.map { .object($0) }) }
        throw RolloutError(
            .gateNotMet,
            (verb == .advance(isForced: true) ? "Not even force passes these gates: " : "These gates are not met: ")
                + "\(lines.joined(separator: "; ")). Each says what would make it pass.",
            details: .object(details))
    }

    /// The gates that a verb has to pass, and the move that they are of; nil when it passes none.
    private func gates(
        before verb: Verb, moves route: RouteRollout, to moved: RouteRollout, _ facts: Facts, at now: Int64
    ) -> (NextMove, [GateResult])? {
        switch verb {
        case .advance:
            return route.nextMove.map { ($0, gates(of: route, toward: $0, facts: facts, at: now)) }
        // An island that was never compatible must not become so by a detour.
        case .resume where route.status == .island && route.stage == .notStarted:
            return (.stage(.compatible), gates(of: route, toward: .stage(.compatible), facts: facts, at: now))
        // Rolled back by an earlier release, which knew no conditions: nobody is exposed again without them.
        case .resume where route.status == .rolledBack && moved.stage == .partialRollout:
            let order = orderGates(of: route, entering: .partialRollout)
            return (.step(moved.step), [frozenConditionsGate(of: route)] + order)
        default: return nil
        }
    }
}

/// The gates that did not pass and did not block, by route.
private struct PassedBy {
    var forced = JSONObject()
    var waived = JSONObject()

    /// What the route keeps of it.
    func forcedMove(
        of route: RouteRollout, by verb: Verb, of actor: Actor, because reason: String, at now: Int64
    ) -> ForcedMove? {
        guard verb == .advance(isForced: true), let gates = forced[route.key]?.array, let move = route.nextMove else {
            return nil
        }
        return ForcedMove(
            move: move.name, gates: gates.compactMap(\.string), actor: actor.name, reason: reason, at: now)
    }
}

extension Verb {
    /// Whether the verb can only take migrated away or leave all as it is.
    var narrows: Bool { if case .rollBack = self { true } else { self == .hold } }

    /// Whether the verb takes a hold or a rollback back.
    fileprivate var resumes: Bool { if case .resume = self { true } else { false } }

    /// Whether a route that is refused for that is left as it is when the verb is said of several.
    fileprivate func passesOver(_ error: RolloutError) -> Bool {
        switch error.code {
        case .illegalMove, .tooManyScopes: narrows || resumes || self == .approve
        case .scopeNotFound: if case .lift = self { true } else { false }
        default: false
        }
    }
}

extension Verb {
    /// Whether the verb gives legacy to all new journeys.
    var rollsBack: Bool { if case .rollBack(_, nil) = self { true } else { false } }
}

extension JSONObject {
    fileprivate static func routes(_ routes: [RouteRollout]) -> JSONObject {
        ["routes": .object(JSONObject(routes.map { ($0.key, .object($0.json)) }))]
    }

    /// Adds the overrides that the move ends.
    fileprivate func noting(_ cleared: [Override]) -> JSONObject {
        guard !cleared.isEmpty else { return self }
        var noted = self
        noted["overrides"] = .objects(cleared.map(\.json))
        return noted
    }

    /// Adds what the audit shows beside the state: force and waivers with the gates passed by, and a resume's cause.
    fileprivate func noting(_ verb: Verb, _ passedBy: PassedBy) -> JSONObject {
        var noted = self
        if verb == .advance(isForced: true) {
            noted["forced"] = true
            noted["forcedGates"] = .object(passedBy.forced)
        }
        if !passedBy.waived.isEmpty { noted["waivedGates"] = .object(passedBy.waived) }
        if case .resume(let cause?, _) = verb { noted["cause"] = .string(cause) }
        return noted
    }
}
