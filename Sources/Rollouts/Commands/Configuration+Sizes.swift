import FlagEvaluation
import RouteContract

/// A rule counts with all its cohorts, so what fits by itself may be too large where it is used.
extension Configuration {
    /// Refuses a cohort with which it, a flag or a route's ladder could no longer be evaluated.
    ///
    /// A flag would answer PARSE_ERROR and a route would give legacy, without a word to whoever changed the cohort.
    func checkSizes(changing cohort: Cohort) throws(RolloutError) {
        var after = self
        after.store(.cohort(cohort))
        try checkSizes(in: after, changing: [cohort.key])
    }

    /// The same for several cohorts, and flags that are new with them.
    func checkSizes(in after: Configuration, changing cohorts: [String]) throws(RolloutError) {
        let evaluators = after.evaluators
        for cohort in cohorts {
            let own = FlagDefinition(key: cohort, stored: .reference(to: cohort))
            if let fault = own.compileFault(beside: evaluators) { throw invalid(fault, in: "cohort/\(cohort)") }
        }
        guard !cohorts.isEmpty else { return }
        for flag in after.flags.values.sorted(by: { $0.key < $1.key }) {
            let definition = FlagDefinition(key: flag.key, stored: flag.definition)
            try check(definition, named: "flag/\(flag.key)", with: evaluators)
        }
        for route in Set(cohorts.flatMap { after.routes(naming: $0) }).sorted(by: { $0.key < $1.key }) {
            for ladder in ladders(of: route) {
                try check(ladder, named: "route/\(route.key)", with: evaluators)
            }
        }
    }

    /// Refuses a plan with a step that could not be evaluated.
    func checkSize(of route: RouteRollout) throws(RolloutError) {
        let evaluators = evaluators
        for ladder in ladders(of: route) {
            guard let fault = ladder.compileFault(beside: evaluators) else { continue }
            throw RolloutError(.invalidPlan, "The plan with its cohorts: \(fault.message)", details: fault.details)
        }
    }

    private func check(
        _ definition: FlagDefinition, named name: String, with evaluators: JSONObject
    ) throws(RolloutError) {
        // What could not be evaluated before is no reason to keep the cohort from being mended.
        guard let fault = definition.compileFault(beside: evaluators),
            definition.compileFault(beside: self.evaluators) == nil
        else { return }
        throw invalid(fault, in: name)
    }

    private func invalid(_ fault: FlagError, in name: String) -> RolloutError {
        var details = fault.details.object ?? [:]
        details["usedBy"] = .strings([name])
        return RolloutError(
            .invalidCohort, "With this rule \(name) cannot be evaluated: \(fault.message)",
            details: .object(details))
    }

    /// The route as a flag in its rehearsal, and at each step of its plan that gives migrated to others than the one
    /// before.
    private func ladders(of route: RouteRollout) -> [FlagDefinition] {
        guard let flow = flows[route.flow] else { return [] }
        let rehearsed =
            route.rehearsalInForce.map { _ in [FlagDefinition(key: route.key, stored: route.projection(in: flow))] }
            ?? []
        guard let plan = route.plan else { return rehearsed }
        let steps = plan.steps.indices.map { $0 + 1 }
        return rehearsed
            + steps.filter { plan.exposure(atStep: $0) != plan.exposure(atStep: $0 - 1) }.map { step in
                var stepped = route
                (stepped.stage, stepped.status, stepped.step) = (.partialRollout, .active, step)
                return FlagDefinition(key: route.key, stored: stepped.projection(in: flow))
            }
    }
}

extension JSONObject {
    /// A flag whose rule is a cohort's.
    fileprivate static func reference(to cohort: String) -> JSONObject {
        [
            "state": "ENABLED", "variants": ["a": true], "defaultVariant": "a",
            "targeting": ["$ref": .string(cohort)],
        ]
    }
}
