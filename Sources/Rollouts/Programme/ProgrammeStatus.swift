import RouteContract

/// Where all routes stand, and which of them need a person.
package struct ProgrammeStatus: Hashable, Sendable {
    /// How many routes there are in each stage.
    package let stages: [Stage: Int]
    package let statuses: [RouteStatus: Int]
    /// The most urgent first.
    package var needs: [Need]
}

extension Configuration {
    /// How far the whole programme has come, and what needs a person now.
    ///
    /// Of the facts it asks for the units and the evidence; no gate on journeys in flight is judged.
    package func programmeStatus(facts: Facts = Facts(), at now: Int64) -> ProgrammeStatus {
        ProgrammeStatus(
            stages: Dictionary(routes.values.map { ($0.stage, 1) }, uniquingKeysWith: +),
            statuses: Dictionary(routes.values.map { ($0.status, 1) }, uniquingKeysWith: +),
            needs: needs(facts: facts, at: now))
    }

    private func needs(facts: Facts, at now: Int64) -> [Need] {
        let surroundings = GateSurroundings(in: self)
        let endingWaivers = Dictionary(grouping: waivers.values.filter { $0.isAboutToEnd(at: now) }) { $0.id.route }
        var needs: [Need] = []
        for route in routes.values {
            needs += route.interruptions
            needs += advances(of: route)
            needs += route.overdue(at: now)
            needs += route.gaps
            needs += route.needs(for: endingWaivers[route.key] ?? [])
            needs += standstills(of: route, among: surroundings, facts: facts, at: now)
        }
        return needs.sorted()
    }
}
