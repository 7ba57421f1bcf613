import FlagEvaluation
import RouteContract

extension Configuration {
    /// What the conditions of a route may together spend on false stops.
    package static let routeAlpha = 0.05
    /// Conditions of a route, and versions of a condition.
    package static let mostConditions = 20
    package static let mostConditionVersions = 100

    /// All versions of a route's conditions, by key and version.
    package func conditions(of route: String) -> [StopCondition] {
        conditions.values.filter { $0.id.route == route }.sorted { $0.id < $1.id }
    }

    /// The conditions that a route is watched by: of each its newest frozen version.
    package func conditionsInForce(of route: String) -> [StopCondition] {
        newest(of: conditions(of: route).filter(\.isFrozen))
    }

    private func newest(of sorted: [StopCondition]) -> [StopCondition] {
        let last = Dictionary(sorted.map { ($0.id.key, $0) }) { _, later in later }
        return last.values.sorted { $0.id < $1.id }
    }

    func puttingCondition(
        _ key: String, of route: String, _ definition: StopCondition.Definition
    ) throws(RolloutError) -> Change? {
        let route = try self.route(route)
        try checkKey(key)
        try definition.check()
        try refuse(changesOf: route)
        let all = conditions(of: route.key)
        let last = all.last { $0.id.key == key }
        if last?.definition == definition { return nil }
        if let frozen = all.last(where: { $0.id.key == key && $0.isFrozen }),
            frozen.definition.metric != definition.metric
        {
            throw .invalidField(
                "/metric", "\(frozen.definition.metric.rawValue), as it was frozen: another metric is another condition"
            )
        }
        let version = last.map { $0.isFrozen ? $0.id.version + 1 : $0.id.version } ?? 1
        guard version <= Self.mostConditionVersions, last != nil || newest(of: all).count < Self.mostConditions else {
            throw RolloutError(
                .tooMany,
                "A route has at most \(Self.mostConditions) conditions, each of at most "
                    + "\(Self.mostConditionVersions) versions.")
        }
        let draft = StopCondition(
            id: StopCondition.ID(route: route.key, key: key, version: version), definition: definition)
        try checkAlpha(
            of: conditionsInForce(of: route.key) + newest(of: all).filter { $0.id.key != key } + [draft])
        return Change(
            "condition.put", "condition/\(route.key)", before: .members(conditions[draft.id]?.json),
            after: .object(draft.json), rows: [.condition(draft)])
    }

    func freezingConditions(of route: String, _ key: String?, at now: Int64) throws(RolloutError) -> Change? {
        let route = try self.route(route)
        try refuse(changesOf: route)
        let named = newest(of: conditions(of: route.key)).filter { key == nil || $0.id.key == key }
        guard !named.isEmpty else { throw conditionNotFound(key, route.key) }
        var frozen = named.filter { !$0.isFrozen }
        guard !frozen.isEmpty else { return nil }
        for index in frozen.indices { frozen[index].frozenAt = now }
        return Change(
            "condition.freeze", "condition/\(route.key)",
            before: ["conditions": .objects(named.filter { !$0.isFrozen }.map(\.json))],
            after: ["conditions": .objects(frozen.map(\.json))], rows: frozen.map { .condition($0) })
    }

    func removingCondition(_ key: String, of route: String) throws(RolloutError) -> Change? {
        let route = try self.route(route)
        guard let last = conditions(of: route.key).last(where: { $0.id.key == key }) else {
            throw conditionNotFound(key, route.key)
        }
        guard !last.isFrozen else {
            throw RolloutError(
                .conditionFrozen, "\"\(key)\" is frozen: it watches the route. Write another version instead.",
                details: ["hash": .string(last.hash)])
        }
        return Change(
            "condition.remove", "condition/\(route.key)", before: .object(last.json), after: .null,
            rows: [.removedCondition(last.id)])
    }

    private func conditionNotFound(_ key: String?, _ route: String) -> RolloutError {
        RolloutError(
            .conditionNotFound,
            key.map { "\"\(route)\" has no stop condition \"\($0)\"." } ?? "\"\(route)\" has no stop condition.")
    }

    /// A condition with a draft costs the larger of both: whichever is frozen or taken away next, the sum only falls.
    private func checkAlpha(of conditions: [StopCondition]) throws(RolloutError) {
        let shares = Dictionary(conditions.map { ($0.id.key, $0.definition.alphaShare) }, uniquingKeysWith: max)
        // Rounded: a third of 0.05 three times is a little more than it, in binary.
        let spent = (shares.values.reduce(0, +) * 1e9).rounded() / 1e9
        guard spent > Self.routeAlpha else { return }
        throw RolloutError(
            .alphaExceeded, "The conditions of a route share \(Self.routeAlpha); these would take \(spent).",
            details: ["most": .decimal(Self.routeAlpha), "spent": .decimal(spent)])
    }

    /// Refuses to change what a route is decided by while a stop of it is not cleared up.
    func refuse(changesOf route: RouteRollout) throws(RolloutError) {
        guard let stop = route.stop else { return }
        throw RolloutError(
            .routeLocked,
            "\"\(route.key)\" was stopped by \"\(stop.condition)\": resume it with the cause, then change it.",
            details: ["route": .string(route.key), "stop": .object(stop.json)])
    }
}

extension StopCondition.Definition {
    /// Refuses what is not of the form that its metric asks for.
    fileprivate func check() throws(RolloutError) {
        guard method.test == metric.test else {
            throw .invalidField("/method/test", "\(metric.test.rawValue), the test for \(metric.rawValue)")
        }
        guard unit == metric.unit else { throw .invalidField("/unit", "\(metric.unit.rawValue), for this metric") }
        guard direction == metric.direction else {
            throw .invalidField("/direction", "\(metric.direction.rawValue): the direction that is harm")
        }
        guard alphaShare > 0, alphaShare <= Configuration.routeAlpha else {
            throw .invalidField("/alphaShare", "more than 0 and at most \(Configuration.routeAlpha)")
        }
        try checkMethod()
        let needsCap = metric == .loadTime || metric == .hitchRatio
        guard needsCap == (cap != nil), cap ?? 1 > 0, cap ?? 1 <= 1e12 else {
            throw .invalidField("/cap", needsCap ? "the value above 0 at which a mean is cut" : "left out")
        }
        guard (1...1_000_000_000).contains(minimumUnits) else { throw .invalidField("/minimumUnits", "from 1") }
        let day: Int64 = 86_400
        guard (0...90 * day).contains(maturitySeconds) else {
            throw .invalidField("/maturitySeconds", "0 to 90 days, in seconds")
        }
        guard maximumDurationSeconds > maturitySeconds, maximumDurationSeconds <= 365 * day else {
            throw .invalidField("/maximumDurationSeconds", "longer than the maturity and at most 365 days, in seconds")
        }
        guard (60...30 * day).contains(graceSeconds) else {
            throw .invalidField("/graceSeconds", "a minute to 30 days, in seconds")
        }
    }

    private func checkMethod() throws(RolloutError) {
        switch method {
        case .conditionalBinomial(let grid):
            guard margin > 1, margin <= 100 else {
                throw .invalidField("/margin", "a tolerated ratio above 1, at most 100")
            }
            guard (1...50).contains(grid.count), grid.allSatisfy({ $0 > 1 && $0 <= 100 }),
                zip(grid, grid.dropFirst()).allSatisfy(<)
            else { throw .invalidField("/method/grid", "1 to 50 rising ratios above 1, at most 100") }
        case .confidenceSequence(let units):
            let most = metric == .completion ? 1 : 1e12
            guard margin >= 0, margin <= most else { throw .invalidField("/margin", "a difference from 0 to \(most)") }
            guard (2...1_000_000_000).contains(units) else { throw .invalidField("/method/plannedUnits", "from 2") }
        case .dirichletMultinomial(let concentration):
            guard margin == 0 else { throw .invalidField("/margin", "0: a split is as it was drawn or it is not") }
            guard concentration > 0, concentration <= 1e9 else {
                throw .invalidField("/method/concentration", "more than 0")
            }
        }
    }
}
