import FlagEvaluation
import RouteContract

extension Configuration {
    /// Takes a verdict on the frozen condition of that hash, and on `stop` does what the condition says.
    ///
    /// A verdict on an older version, or on a draft, is refused: its data count no more. The same verdict again is a repeat,
    /// and so is any other after a stop that is not cleared up: failure beats success. Once somebody has named the cause the
    /// same stop acts again, because then it is about what was resumed.
    func judging(
        _ key: String, by hash: String, _ verdict: StopCondition.Judgement.Verdict, _ numbers: JSONObject,
        because reason: String, at now: Int64
    ) throws(RolloutError) -> Change? {
        let route = try self.route(key)
        guard var condition = conditionsInForce(of: key).first(where: { $0.hash == hash }) else {
            throw RolloutError(
                .conditionNotFound, "No condition that watches \"\(key)\" has that hash.",
                details: ["hash": .string(hash)])
        }
        let known = condition.judgement?.verdict
        let isRepeat = known == .stop ? route.stop != nil : known == verdict
        if isRepeat { return nil }
        let before = condition
        condition.judgement = StopCondition.Judgement(verdict: verdict, at: now, numbers: numbers)
        var after: JSONObject = ["conditions": .objects([condition.json])]
        var earlier: JSONObject = ["conditions": .objects([before.json])]
        var rows: [ConfigurationRow] = [.condition(condition)]
        if verdict == .stop {
            var stopped = route
            let cleared = try act(condition.definition.action, on: &stopped, because: reason, at: now)
            stopped.stop = route.stop ?? RouteStop(condition: condition.id.key, hash: hash, at: now)
            after["routes"] = .object([key: .object(stopped.json)])
            earlier["routes"] = .object([key: .object(route.json)])
            if !cleared.isEmpty { earlier["overrides"] = .objects(cleared.map(\.json)) }
            rows += [.route(stopped)] + cleared.map { .removedOverride($0.id) }
        }
        return Change(
            "condition.judge", "condition/\(key)", before: .object(earlier), after: .object(after), rows: rows)
    }

    /// Rolls back or holds where that is possible; gives the overrides that end with it.
    private func act(
        _ action: StopCondition.Action, on route: inout RouteRollout, because reason: String, at now: Int64
    ) throws(RolloutError) -> [Override] {
        let verb: Verb? =
            switch action {
            case .rollback: .rollback
            case .hold: .hold
            case .warn: nil
            }
        // An island gives legacy already, and is left by people.
        guard let verb, route.status != .island, route.legalVerbs.contains(verb.name) else { return [] }
        let cleared = overridesCleared(by: verb, of: [route])
        try route.apply(verb, because: reason, at: now)
        return cleared
    }
}
