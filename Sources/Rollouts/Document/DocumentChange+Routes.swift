import FlagEvaluation
import RouteContract

extension DocumentChange {
    /// Registers or edits a route, as far as that widens nothing.
    func take(
        route item: JSONObject, _ key: String, into configuration: inout Configuration
    ) throws(RolloutError) {
        var fields = try RouteFields(
            json: item, besides: Set(["key", "flow"] + ConfigurationDocument.isMoved))
        try checkName(try item.requiredString("key"), key)
        let flow = try item.requiredString("flow")
        // What stored routes leave out where it says nothing.
        fields.legacySymbols = fields.legacySymbols ?? []
        // Routes of the document that are not there yet: the next pass knows them.
        fields.excludes = (fields.excludes ?? []).filter {
            configuration.routes[$0] != nil || document[.routes, $0] == nil
        }
        fields.restore = fields.restore ?? .keepPin
        guard let route = configuration.routes[key] else {
            return configuration.take(try configuration.registeringRoute(key, in: flow, fields, facts: facts, at: now))
        }
        guard route.flow == flow else {
            throw RolloutError(
                .flowMismatch, "\"\(key)\" belongs to the flow \"\(route.flow)\".",
                details: ["path": .string(pointer(to: key, in: "/routes"))])
        }
        // What would widen stays; but a ladder that is to climb no longer by itself narrows, whatever else its plan says.
        let isManual = fields.plan?.advance == .manual
        func keepPlan() {
            fields.plan = route.plan
            if isManual { fields.plan?.advance = .manual }
        }
        if let plan = fields.plan, let old = route.plan {
            if route.decidesByPlan, plan.holdout < old.holdout { keepPlan() }
            if route.stage == .partialRollout {
                if old.advance == .manual { fields.plan?.advance = .manual }
                if old.advance == .automatic, plan.advance == .automatic, !plan.givesNoMore(than: old) { keepPlan() }
            }
        }
        keepHolds(of: route, in: &fields, configuration)
        do throws(RolloutError) {
            configuration.take(try configuration.editingRoute(key, fields, facts: facts, at: now))
        } catch {
            guard error.code == .planWidens || error.code == .planShrinks, fields.plan != nil else { throw error }
            keepPlan()
            configuration.take(try configuration.editingRoute(key, fields, facts: facts, at: now))
        }
        try narrow(route, to: try item.requiredWord("status"), in: &configuration)
    }

    /// Keeps what holds ladders that climb by themselves: without it they would climb at once.
    private func keepHolds(of route: RouteRollout, in fields: inout RouteFields, _ configuration: Configuration) {
        let climbs = route.climbsByItself && fields.plan?.advance != .manual
        func kept(_ old: [String], _ new: [String]?) -> [String] {
            (new ?? []) + old.filter { !(new ?? []).contains($0) }
        }
        if climbs { fields.requires = kept(route.requires, fields.requires) }
        let holding = route.excludes.filter { climbs || configuration.routes[$0]?.climbsByItself == true }
        fields.excludes = kept(holding, fields.excludes)
    }

    /// A rollback and a hold narrow, so a document may bring them about where the verbs may.
    private func narrow(
        _ route: RouteRollout, to status: RouteStatus, in configuration: inout Configuration
    ) throws(RolloutError) {
        let verb: Verb? =
            switch (route.status, status) {
            case (.active, .rolledBack), (.held, .rolledBack): .rollback
            case (.active, .held): .hold
            default: nil
            }
        guard let verb else { return }
        do throws(RolloutError) {
            configuration.take(
                try configuration.moving(
                    .route(route.key), by: verb, of: actor, because: reason, facts: facts, at: now))
        } catch {
            guard error.code == .illegalMove else { throw error }
        }
    }
}
