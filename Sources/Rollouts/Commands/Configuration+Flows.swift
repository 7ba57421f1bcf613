import FlagEvaluation
import RouteContract

extension Configuration {
    /// The flow, or `flow_not_found`.
    package func flow(_ key: String) throws(RolloutError) -> Flow {
        try flows[key].orThrow(noFlow(key))
    }

    /// `flow_not_found`
    package func noFlow(_ key: String) -> RolloutError {
        RolloutError(.flowNotFound, "There is no flow \"\(key)\" in \(environment).")
    }

    /// The routes of a flow, by key.
    package func routes(of flow: String) -> [RouteRollout] {
        routes.values.filter { $0.flow == flow }.sorted { $0.key < $1.key }
    }

    func creatingFlow(_ flow: Flow) throws(RolloutError) -> Change? {
        try checkKey(flow.key)
        try flow.check()
        if let existing = flows[flow.key] {
            // The id is minted anew for each request, so that a repeated one comes with another.
            var repeated = existing
            repeated.owner = flow.owner
            repeated.journeyLifetimeSeconds = flow.journeyLifetimeSeconds
            guard repeated == existing else {
                throw RolloutError(.flowExists, "There is a flow \"\(flow.key)\" already; edit it instead.")
            }
            return nil
        }
        guard !flows.values.contains(where: { $0.id == flow.id }) else {
            throw RolloutError(.flowExists, "Another flow has the id \(flow.id): it salts the splits of one flow only.")
        }
        return Change("flow.create", "flow/\(flow.key)", before: nil, after: flow.json, row: .flow(flow))
    }

    func editingFlow(_ key: String, owner: String?, lifetime: Int64?) throws(RolloutError) -> Change? {
        let before = try flow(key)
        var after = before
        after.owner = owner ?? before.owner
        after.journeyLifetimeSeconds = lifetime ?? before.journeyLifetimeSeconds
        try after.check()
        guard after != before else { return nil }
        return Change("flow.edit", "flow/\(key)", before: before.json, after: after.json, row: .flow(after))
    }

    func checkKey(_ key: String) throws(RolloutError) {
        guard Key.isValid(key) else {
            throw RolloutError(
                .invalidKey, "A key is 1 to 128 letters, digits, dots, dashes or underscores, the first no mark.",
                details: ["key": .string(key)])
        }
    }
}

extension Flow {
    fileprivate func check() throws(RolloutError) {
        // The one spelling that is stored: it is the salt of every split.
        guard JourneyID(id)?.description == id else { throw .invalidField("/id", "a UUID of version 7 in lower case") }
        guard !owner.isBlank else { throw .invalidField("/owner", "a name") }
        guard (60...604_800).contains(journeyLifetimeSeconds) else {
            throw RolloutError(
                .invalidLifetime, "A journey lives from 60 to 604800 seconds (7 days), not \(journeyLifetimeSeconds).",
                details: ["path": "/journeyLifetimeSeconds"])
        }
    }
}
