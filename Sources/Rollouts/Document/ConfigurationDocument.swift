import FlagEvaluation

/// One environment as a document: everything that is configured, but keys.
package struct ConfigurationDocument: Hashable, Sendable {
    /// The kinds of things in it, in the order in which they are applied.
    package enum Section: String, CaseIterable, Sendable {
        case settings, cohorts, flows, routes, flags, builds, overrides, conditions, waivers
    }

    package let environment: String
    package let epoch: Int64
    /// The revision that the document shows, or is an edit of.
    package let revision: Int64
    /// The things by section and by what they are known by, as the store and the audit write them.
    private(set) var items: [Section: [String: JSONObject]] = [:]
    /// What the settings are known by: there is one.
    static let settingsID = "environment"
    private static let format: Int64 = 1

    /// What the text of a document may hold, where it stands in so many objects: whatever was exported can be read again, as
    /// many members as the bytes may hold.
    package static func limits(wrappedIn levels: Int = 0) -> JSONLimits {
        let own = JSONLimits.flagFile
        return JSONLimits(depth: own.depth + 3 + levels, keys: 4_000_000, stringBytes: own.stringBytes)
    }

    /// The document of a configuration.
    package init(of configuration: Configuration) {
        environment = configuration.environment
        epoch = configuration.epoch
        revision = configuration.revision
        items = [
            .settings: [Self.settingsID: configuration.settings.json],
            .cohorts: configuration.cohorts.mapValues(\.json), .flows: configuration.flows.mapValues(\.json),
            .routes: configuration.routes.mapValues(\.json), .flags: configuration.flags.mapValues(\.json),
            .builds: Self.keyed(configuration.builds.values.map { ($0.id.text, $0.json) }),
            .overrides: Self.keyed(configuration.overrides.values.map { ($0.id.text, $0.json) }),
            .conditions: Self.keyed(
                configuration.conditions.values.map { ("\($0.id.route)/\($0.id.key)/\($0.id.version)", $0.json) }),
            .waivers: Self.keyed(
                configuration.waivers.values.map { ("\($0.id.route)/\($0.id.gate)/\($0.id.move ?? "")", $0.json) }),
        ]
    }

    /// The part that the audit holds of one side of an applied document: `{section: {id: item or null}}`.
    package init(items listed: JSONValue?, partOf configuration: Configuration) {
        environment = configuration.environment
        epoch = configuration.epoch
        revision = configuration.revision
        for section in Section.allCases {
            items[section] = Self.keyed(
                (listed?[section.rawValue]?.object?.entries ?? []).compactMap { id, item in
                    item.object.map { (id, $0) }
                })
        }
    }

    /// Reads what `json` writes. What the things are is checked when they are applied.
    package init(_ value: JSONValue) throws(RolloutError) {
        guard let json = value.object else { throw Self.invalid("/", "an object") }
        let members = ["signalbox", "environment", "epoch", "revision"] + Section.allCases.map(\.rawValue)
        try json.refuseMembers(besides: Set(members))
        guard json["signalbox"] == .integer(Self.format) else {
            throw Self.invalid("/signalbox", "\(Self.format): the format of the document")
        }
        environment = try json.requiredString("environment")
        epoch = try json.requiredInteger("epoch")
        revision = try json.requiredInteger("revision")
        for section in Section.allCases {
            let path = "/\(section.rawValue)"
            let listed = try json.requiredObject(section.rawValue)
            guard section != .settings else {
                items[section] = [Self.settingsID: listed]
                continue
            }
            for (id, item) in listed.entries {
                guard let item = item.object else { throw Self.invalid(pointer(to: id, in: path), "an object") }
                items[section, default: [:]][id] = item
            }
        }
    }

    /// The document: written with `canonicalJSON`, equal configurations give equal bytes.
    package var json: JSONObject {
        var json: JSONObject = [
            "signalbox": .integer(Self.format), "environment": .string(environment), "epoch": .integer(epoch),
            "revision": .integer(revision),
        ]
        for section in Section.allCases {
            let listed = ids(section).map { id in
                (id, JSONValue.object(section == .flags ? wish(section, id) ?? [:] : self[section, id] ?? [:]))
            }
            json[section.rawValue] = section == .settings ? listed.first?.1 ?? [:] : .object(JSONObject(listed))
        }
        return json
    }

    /// The routes of a configuration that the document does not have.
    package func routesLacking(from configuration: Configuration) -> [RouteRollout] {
        configuration.routes.values.filter { self[.routes, $0.key] == nil }
    }

    subscript(section: Section, id: String) -> JSONObject? { items[section]?[id] }

    func ids(_ section: Section) -> [String] { (items[section] ?? [:]).keys.sorted() }

    /// What somebody asks for by an item: without what only follows from moves, and what is worked out.
    func wish(_ section: Section, _ id: String) -> JSONObject? {
        guard var item = self[section, id] else { return nil }
        let noted: [String] =
            switch section {
            case .routes: Self.followsFromMoves
            case .flags: ["warnings"]
            case .conditions: ["judgement"]
            default: []
            }
        for member in noted { item[member] = nil }
        return item
    }

    /// Members of routes that nobody asks for.
    static let followsFromMoves = [
        "stageSince", "stepSince", "stepRevision", "approval", "rolledBackFrom", "highestHealthyStep", "flipBacks",
        "flippedBackAt", "forcedMove", "stop", "rollbackLevel", "rehearsal",
    ]
    /// Members of routes that only verbs change.
    static let isMoved = ["stage", "step", "status", "island", "exclusions"]

    static func invalid(_ path: String, _ expected: String) -> RolloutError {
        RolloutError(.invalidDocument, "\(path) of the document must be \(expected).", details: ["path": .string(path)])
    }

    private static func keyed(_ items: [(String, JSONObject)]) -> [String: JSONObject] {
        Dictionary(items) { first, _ in first }
    }
}

extension ConfigurationDocument {
    /// One thing that two documents do not agree in.
    package struct Difference: Hashable, Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            case added, removed, changed
        }
        package let section: Section
        package let id: String
        package let kind: Kind
        /// The members that differ, when it was changed.
        package let members: [String]

        /// `/routes/trips.edit`, a JSON Pointer into the document.
        package var path: String {
            section == .settings ? "/settings" : pointer(to: id, in: "/" + section.rawValue)
        }
    }

    /// What has to change for this document to become the other. Bookkeeping that follows from moves is left out.
    package func differences(to other: ConfigurationDocument) -> [Difference] {
        Section.allCases.flatMap { section -> [Difference] in
            Set(ids(section)).union(other.ids(section)).sorted().compactMap { id in
                let (old, new) = (wish(section, id), other.wish(section, id))
                guard old != new else { return nil }
                let kind: Difference.Kind = old == nil ? .added : new == nil ? .removed : .changed
                let names = Set(old?.keys ?? []).union(new?.keys ?? [])
                return Difference(
                    section: section, id: id, kind: kind,
                    members: kind == .changed ? names.filter { old?[$0] != new?[$0] }.sorted() : [])
            }
        }
    }
}

extension ConfigurationDocument.Difference {
    /// The difference as the wire shows it, with the members of both.
    package func json(
        from old: ConfigurationDocument, to new: ConfigurationDocument
    ) -> JSONObject {
        let (before, after) = (old.wish(section, id), new.wish(section, id))
        let members = self.members.map { member -> (String, JSONValue) in
            (member, ["from": before?[member] ?? .null, "to": after?[member] ?? .null])
        }
        return ["path": .string(path), "kind": .string(kind.rawValue), "members": .object(JSONObject(members))]
    }
}
