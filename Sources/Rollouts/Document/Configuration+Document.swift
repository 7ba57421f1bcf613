import FlagEvaluation
import RouteContract

/// What a document is to the configuration that it is applied to.
package enum DocumentBase: Hashable, Sendable {
    /// It is an edit of this earlier state: what changed on both sides is a conflict.
    case earlier(ConfigurationDocument)
    /// It says how everything is to be, whatever is there now.
    case current
    /// It is an earlier state that is to come back: what came since and cannot be removed stays.
    case rollback
}

extension Configuration {
    /// Makes things as a document says, all or nothing, where that gives migrated to nobody who does not have it.
    ///
    /// The rest is what `ConfigurationDocument.remaining` lists. Each thing passes the checks of the command that would
    /// change it alone.
    func applying(
        _ document: ConfigurationDocument, to base: DocumentBase, allowsReshuffle: Bool, by actor: Actor,
        because reason: String, facts: Facts, at now: Int64
    ) throws(RolloutError) -> Change? {
        let current = ConfigurationDocument(of: self)
        let tasks = try self.tasks(document, current, base)
        try checkFlows(of: document)
        if base != .rollback { try checkRemovals(tasks, facts) }
        let each = DocumentChange(
            document: document, isRollback: base == .rollback, allowsReshuffle: allowsReshuffle, actor: actor,
            reason: reason, facts: facts, now: now)
        var after = self
        // A rollback makes way for what could not be edited before it: as long as anything changes, all is done again, so
        // that applying the document once more does nothing.
        for _ in 0..<Self.mostPasses {
            let before = after
            try each.perform(tasks, on: &after)
            if after == before { break }
        }
        return change(from: current, to: after, as: base == .rollback ? "config.rollback" : "config.apply")
    }

    private static let mostPasses = 8

    private func tasks(
        _ document: ConfigurationDocument, _ current: ConfigurationDocument, _ base: DocumentBase
    ) throws(RolloutError) -> [DocumentTask] {
        let wanted = current.differences(to: document)
        guard case .earlier(let earlier) = base else {
            return DocumentTask.ordered(wanted, from: current, to: document)
        }
        let edited = Set(earlier.differences(to: document).map(\.path))
        let changed = Set(earlier.differences(to: current).map(\.path))
        let mine = wanted.filter { edited.contains($0.path) }
        let conflicts = mine.map(\.path).filter(changed.contains)
        guard conflicts.isEmpty else {
            throw RolloutError(
                .documentConflict,
                "Since revision \(document.revision) these were changed by others too: "
                    + conflicts.prefix(5).joined(separator: ", ") + (conflicts.count > 5 ? ", …" : "") + ".",
                details: ["paths": .strings(conflicts.prefix(500)), "revision": .integer(revision)])
        }
        return DocumentTask.ordered(mine, from: current, to: document)
    }

    /// A flow's id is the salt of its splits: under another id everybody would be dealt anew.
    private func checkFlows(of document: ConfigurationDocument) throws(RolloutError) {
        for key in document.ids(.flows) {
            guard let flow = flows[key], document[.flows, key]?["id"] != .string(flow.id) else { continue }
            throw RolloutError(
                .flowMismatch, "The flow \"\(key)\" has the id \(flow.id) here, and another in the document.",
                details: ["path": .string(pointer(to: key, in: "/flows")), "id": .string(flow.id)])
        }
    }

    private func checkRemovals(_ tasks: [DocumentTask], _ facts: Facts) throws(RolloutError) {
        let removed = tasks.filter { $0.difference.kind == .removed && $0.isPermanent }
        guard let first = removed.first else { return }
        let live = removed.filter { $0.difference.section == .routes }.filter { task in
            guard let pins = facts.livePins(of: task.difference.id) else { return true }
            return !pins.legacy.isEmpty || !pins.migrated.isEmpty
        }
        guard live.isEmpty else {
            let keys = live.map(\.difference.id)
            throw RolloutError(
                .routesInFlight,
                "The document drops routes that have journeys in flight: \(keys.prefix(5).joined(separator: ", ")).",
                details: ["routes": .strings(keys.prefix(500))])
        }
        throw RolloutError(
            .removalNotPossible,
            "The document lacks \(first.path), and flows, routes and builds are kept: they are in the past of journeys.",
            details: ["paths": .strings(removed.prefix(500).map(\.path))])
    }

    /// All that differs as one change, so that it is one revision, one entry of the audit, and can be taken back.
    private func change(from current: ConfigurationDocument, to after: Configuration, as action: String) -> Change? {
        let new = ConfigurationDocument(of: after)
        var (before, then) = (JSONObject(), JSONObject())
        var rows: [ConfigurationRow] = []
        for section in ConfigurationDocument.Section.allCases {
            var (olds, news) = (JSONObject(), JSONObject())
            for id in Set(current.ids(section)).union(new.ids(section)).sorted()
            where current[section, id] != new[section, id] {
                olds[id] = .members(current[section, id])
                news[id] = .members(new[section, id])
            }
            guard !news.isEmpty else { continue }
            before[section.rawValue] = .object(olds)
            then[section.rawValue] = .object(news)
        }
        rows += flows(in: after) + cohortsAndFlags(in: after)
        rows += after.routes.values.filter { routes[$0.key] != $0 }.sorted { $0.key < $1.key }.map { .route($0) }
        rows += after.builds.values.filter { builds[$0.id] != $0 }.sorted { $0.id < $1.id }.map { .build($0) }
        rows += after.overrides.values.filter { overrides[$0.id] != $0 }.sorted { $0.id < $1.id }.map { .override($0) }
        rows += overrides.keys.filter { after.overrides[$0] == nil }.sorted().map { .removedOverride($0) }
        if after.settings != settings { rows.append(.settings(after.settings)) }
        guard !rows.isEmpty else { return nil }
        return Change(
            action, "environment/\(environment)", before: ["items": .object(before)], after: ["items": .object(then)],
            rows: rows)
    }

    private func flows(in after: Configuration) -> [ConfigurationRow] {
        after.flows.values.filter { flows[$0.key] != $0 }.sorted { $0.key < $1.key }.map { .flow($0) }
    }

    private func cohortsAndFlags(in after: Configuration) -> [ConfigurationRow] {
        let cohorts = after.cohorts.values.filter { self.cohorts[$0.key] != $0 }.sorted { $0.key < $1.key }
        let flags = after.flags.values.filter { self.flags[$0.key] != $0 }.sorted { $0.key < $1.key }
        return cohorts.map { .cohort($0) } + flags.map { .flag($0) }
            + self.flags.keys.filter { after.flags[$0] == nil }.sorted().map { .removedFlag($0) }
            + self.cohorts.keys.filter { after.cohorts[$0] == nil }.sorted().map { .removedCohort($0) }
    }

    /// Takes back what an applied document did.
    mutating func undoDocument(_ items: JSONObject) throws(RolloutError) {
        for (name, listed) in items.entries {
            guard let section = ConfigurationDocument.Section(rawValue: name) else {
                throw .invalidField("/items/\(name)", "a section")
            }
            for (id, item) in listed.object?.entries ?? [] {
                let item = item.object
                switch section {
                case .settings: settings = try EnvironmentSettings(json: item ?? [:])
                case .cohorts:
                    cohorts[id] = try item.map { json throws(RolloutError) in try Cohort(json: json) }
                case .flows: flows[id] = try item.map { json throws(RolloutError) in try Flow(json: json) }
                case .routes:
                    routes[id] = try item.map { json throws(RolloutError) in try RouteRollout(json: json) }
                case .flags: flags[id] = try item.map { json throws(RolloutError) in try StoredFlag(json: json) }
                case .builds:
                    guard let build = BuildID(id) else { throw .invalidField("/items/builds", "builds") }
                    builds[build] = try item.map { json throws(RolloutError) in try Build(json: json) }
                case .overrides:
                    guard let id = Override.ID(text: id) else { throw .invalidField("/items/overrides", "overrides") }
                    overrides[id] =
                        try item.map { json throws(RolloutError) in try Override(json: json) }
                case .conditions, .waivers: throw .invalidField("/items/\(name)", "what documents change")
                }
            }
        }
    }
}

/// One thing that a document changes.
struct DocumentTask {
    let difference: ConfigurationDocument.Difference
    var path: String { difference.path }

    /// Whether it can never be removed.
    var isPermanent: Bool { [.flows, .routes, .builds].contains(difference.section) }

    /// Whether a cohort is to be removed.
    var removesCohort: Bool { difference.section == .cohorts && difference.kind == .removed }

    /// Routes come after those that they require. What is removed comes last, and what others name last of all.
    static func ordered(
        _ differences: [ConfigurationDocument.Difference], from current: ConfigurationDocument,
        to document: ConfigurationDocument
    ) -> [DocumentTask] {
        let kept = document.followingNames(differences.filter { $0.kind != .removed })
        let removed = current.followingNames(differences.filter { $0.kind == .removed })
        return (kept + removed.reversed()).map { DocumentTask(difference: $0) }
    }
}

extension ConfigurationDocument {
    /// The differences, of which routes and cohorts stand after those that they name in this document. The others keep
    /// their order.
    fileprivate func followingNames(_ differences: [Difference]) -> [Difference] {
        let routes = places(in: .routes) { $0["requires"]?.array?.compactMap(\.string) ?? [] }
        let cohorts = places(in: .cohorts) { $0["rule"]?.cohortReferences ?? [] }
        func place(_ index: Int) -> Int {
            switch differences[index].section {
            case .routes: routes[differences[index].id] ?? 0
            case .cohorts: cohorts[differences[index].id] ?? 0
            default: index
            }
        }
        let order = Section.allCases.flatMap { section in
            differences.indices.filter { differences[$0].section == section }
                .sorted { (place($0), $0) < (place($1), $1) }
        }
        return order.map { differences[$0] }
    }

    /// Where each thing of a section comes so that it follows all that it names; in a circle somewhere.
    private func places(in section: Section, naming names: (JSONObject) -> [String]) -> [String: Int] {
        var places: [String: Int] = [:]
        var seen: Set<String> = []
        for id in ids(section) {
            var pending = [(id: id, isLeft: false)]
            while let (next, isLeft) = pending.popLast() {
                if isLeft {
                    places[next] = places.count
                } else if let item = self[section, next], seen.insert(next).inserted {
                    pending.append((next, true))
                    pending += names(item).map { (id: $0, isLeft: false) }
                }
            }
        }
        return places
    }
}

extension RolloutError {
    /// The same refusal, with the place in the document that it is about.
    func within(document path: String) -> RolloutError {
        var details = self.details.object ?? [:]
        details["document"] = .string(path)
        return RolloutError(code, message, details: .object(details))
    }
}
