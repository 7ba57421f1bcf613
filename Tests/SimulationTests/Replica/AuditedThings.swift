import FlagEvaluation
import Rollouts
import Storage

/// Single things by their names, such as `route/trips.edit`, each in canonical JSON.
typealias Things = [String: String]

/// Why the audit does not say how something stands.
struct Untold: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One side of an audit entry, taken apart into the things that it shows.
///
/// Read from the JSON alone, as anybody would who has nothing but the audit. What stands beside the things is named here,
/// so that a member that nobody knows is not passed over.
struct AuditedThings {
    private(set) var things: Things = [:]

    /// What stands beside routes: how they were moved.
    private static let routeNotes: Set<String> = ["forced", "forcedGates", "waivedGates", "cause", "folded"]
    private static let moveNotes: Set<String> = ["forced", "forcedGates", "waivedGates", "cause", "skipped"]
    private static let kinds: [ConfigurationDocument.Section: String] = [
        .settings: "settings", .cohorts: "cohort", .flows: "flow", .routes: "route", .flags: "flag", .builds: "build",
        .overrides: "override", .conditions: "condition", .waivers: "waiver",
    ]

    init(of subject: String, in value: JSONValue) throws {
        guard !value.isNull else { return }
        guard let members = value.object, let slash = subject.firstIndex(of: "/") else {
            throw Untold("\(subject) is \(value.jsonText)")
        }
        let (kind, key) = (String(subject[..<slash]), String(subject[subject.index(after: slash)...]))
        switch kind {
        case "environment": try addEnvironment(members)
        case "flow": members["routes"] == nil ? add(subject, members) : try addMove(members)
        case "route": try addRoute(members, key)
        case "cohort": add(subject, members, without: ["forced", "forcedRoutes"])
        case "flag", "build": add(subject, members)
        case "key": try addKeys(members, subject)
        case "override": members["overrides"] == nil ? try addOverride(members) : try addMove(members)
        case "condition": members["conditions"] == nil ? try addCondition(members) : try addMove(members)
        case "waiver": members["waivers"] == nil ? try addWaiver(members) : try addMove(members)
        case "evidence": add("evidence/\(try members.text("id"))", members)
        default: throw Untold("\(subject) is of no kind that is known")
        }
    }

    private mutating func add(_ name: String, _ members: JSONObject, without notes: Set<String> = []) {
        things[name] = JSONValue.object(members.without(notes)).canonicalText
    }

    /// Settings, a document, an import, or routes that were moved together.
    private mutating func addEnvironment(_ members: JSONObject) throws {
        if members["isConfirmed"] != nil { return }
        if members["unknownBuild"] != nil { return add("settings/environment", members) }
        guard let sections = members["items"]?.object else { return try addMove(members) }
        for (name, listed) in sections.entries {
            guard let kind = ConfigurationDocument.Section(rawValue: name).flatMap({ Self.kinds[$0] }) else {
                throw Untold("a document has a section \(name)")
            }
            for (id, item) in listed.object?.entries ?? [] {
                if let item = item.object { add("\(kind)/\(id)", item) }
            }
        }
    }

    /// Lists of things, and what is noted beside them.
    private mutating func addMove(_ members: JSONObject) throws {
        for (name, value) in members.entries where !Self.moveNotes.contains(name) {
            switch name {
            case "routes": for (key, route) in value.object?.entries ?? [] { add("route/\(key)", route.object ?? [:]) }
            case "overrides": for member in value.array ?? [] { try addOverride(member.object ?? [:]) }
            case "conditions": for member in value.array ?? [] { try addCondition(member.object ?? [:]) }
            case "waivers": for member in value.array ?? [] { try addWaiver(member.object ?? [:]) }
            case "flags", "cohorts":
                for (key, item) in value.object?.entries ?? [] { add("\(name.dropLast())/\(key)", item.object ?? [:]) }
            case "settings": add("settings/environment", value.object ?? [:])
            default: throw Untold("a change of several things has a member \(name)")
            }
        }
    }

    private mutating func addRoute(_ members: JSONObject, _ key: String) throws {
        add("route/\(key)", members, without: Self.routeNotes.union(["overrides"]))
        for member in members["overrides"]?.array ?? [] { try addOverride(member.object ?? [:]) }
    }

    private mutating func addKeys(_ members: JSONObject, _ subject: String) throws {
        guard let key = members["key"]?.object, let successor = members["successor"]?.object else {
            return add(subject, members)
        }
        add(subject, key)
        add("key/\(try successor.text("id"))", successor)
    }

    private mutating func addOverride(_ members: JSONObject) throws {
        add("override/\(try members.text("route"))/\(try members.text("unit"))", members, without: ["removed"])
    }

    private mutating func addCondition(_ members: JSONObject) throws {
        let version = members["version"]?.integer ?? 0
        add("condition/\(try members.text("route"))/\(try members.text("key"))/\(version)", members)
    }

    private mutating func addWaiver(_ members: JSONObject) throws {
        let move = members["move"]?.string ?? ""
        add("waiver/\(try members.text("route"))/\(try members.text("gate"))/\(move)", members)
    }
}

extension Configuration {
    /// Everything that is configured, under the names that the audit gives it; keys without their hashes.
    var things: Things {
        var named: [String: JSONObject] = ["settings/environment": settings.json]
        for flow in flows.values { named["flow/\(flow.key)"] = flow.json }
        for route in routes.values { named["route/\(route.key)"] = route.json }
        for flag in flags.values { named["flag/\(flag.key)"] = flag.json }
        for cohort in cohorts.values { named["cohort/\(cohort.key)"] = cohort.json }
        for build in builds.values { named["build/\(build.id.text)"] = build.json }
        for key in keys.values { named["key/\(key.id)"] = key.publicJSON }
        for override in overrides.values { named["override/\(override.id.route)/\(override.id.unit)"] = override.json }
        for (id, condition) in conditions { named["condition/\(id.route)/\(id.key)/\(id.version)"] = condition.json }
        for (id, waiver) in waivers { named["waiver/\(id.route)/\(id.gate)/\(id.move ?? "")"] = waiver.json }
        return named.mapValues { JSONValue.object($0).canonicalText }
    }
}

extension Things {
    /// Those of other kinds.
    func without(_ kinds: String...) -> Things {
        filter { name, _ in !kinds.contains { name.hasPrefix($0 + "/") } }
    }

    /// What is not the same in another, for people; at most three.
    func differences(to other: Things) -> [String] {
        guard self != other else { return [] }
        let names = Set(keys).union(other.keys).filter { self[$0] != other[$0] }.sorted()
        return names.prefix(3).map { "\($0): \(self[$0] ?? "nothing") and \(other[$0] ?? "nothing")" }
    }
}

extension JSONValue {
    fileprivate var canonicalText: String { String(decoding: canonicalJSON, as: UTF8.self) }
}

extension JSONObject {
    fileprivate func without(_ names: Set<String>) -> JSONObject {
        JSONObject(entries.filter { !names.contains($0.key) }.map { ($0.key, $0.value) })
    }

    fileprivate func text(_ name: String) throws -> String {
        guard let text = self[name]?.string else { throw Untold("something has no \(name): \(keys)") }
        return text
    }
}
