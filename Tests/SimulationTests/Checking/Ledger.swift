import FlagEvaluation

/// The configuration at every revision, rebuilt from what the audit says that each change left.
struct Ledger {
    struct Image {
        let revision: Int64
        /// Null for what was removed.
        let value: JSONValue
    }

    /// By subject, oldest first.
    private(set) var images: [String: [Image]] = [:]
    /// How many entries carry a reason.
    private(set) var entriesByReason: [String: [JSONValue]] = [:]
    let lastRevision: Int64

    private static let routeMembers: Set<String> = [
        "key", "flow", "owner", "purpose", "contract", "entryPoints", "requires", "plan", "deletion", "stage", "status",
        "step", "stageSince", "stepSince", "rolledBackFrom", "highestHealthyStep", "flipBacks", "island", "forcedMove",
        "stop",
    ]

    init(_ audit: [JSONValue]) {
        lastRevision = audit.last?["revision"]?.integer ?? 0
        for entry in audit {
            guard let subject = entry["subject"]?.string, let revision = entry["revision"]?.integer,
                let reason = entry["reason"]?.string, let after = entry["after"]
            else { continue }
            entriesByReason[reason, default: []].append(entry)
            if subject.hasPrefix("condition/") {
                for condition in after["conditions"]?.array ?? [after] {
                    add(condition, of: Self.name(ofCondition: condition), at: revision)
                }
            } else if let routes = after["routes"]?.object {
                for (key, route) in routes.entries { add(route, of: "route/\(key)", at: revision) }
            } else if subject.hasPrefix("flag/"), let state = after["state"], after["definition"] == nil {
                add(switched(subject, to: state), of: subject, at: revision)
            } else {
                add(after, of: subject, at: revision)
            }
        }
    }

    /// What a version of a condition is told apart by.
    static func name(ofCondition condition: JSONValue) -> String {
        let names = ["route", "key"].map { condition[$0]?.string ?? "" }
        return "condition/\(names.joined(separator: "/"))/\(condition["version"]?.integer ?? 0)"
    }

    /// A flag that was enabled or disabled: the audit tells its state alone.
    private func switched(_ subject: String, to state: JSONValue) -> JSONValue {
        guard var flag = images[subject]?.last?.value.object, var definition = flag["definition"]?.object else {
            return .null
        }
        definition["state"] = state
        flag["definition"] = .object(definition)
        return .object(flag)
    }

    private mutating func add(_ value: JSONValue, of subject: String, at revision: Int64) {
        images[subject, default: []].append(Image(revision: revision, value: Self.kept(value, of: subject)))
    }

    /// Without what stands beside the state: force and cause in the audit; counts, gates, warnings where a thing is shown.
    static func kept(_ value: JSONValue, of subject: String) -> JSONValue {
        guard let object = value.object else { return value }
        if subject.hasPrefix("route/") {
            return .object(
                JSONObject(object.entries.filter { routeMembers.contains($0.key) }.map { ($0.key, $0.value) }))
        }
        let shown = [
            "flow": "routes", "cohort": "warnings", "condition": "inForce", "waiver": "holds", "key": "lastUsedAt",
        ]
        // What is read tells the revision that it is of.
        let besides = ["epoch", "revision", shown[String(subject.prefix { $0 != "/" })] ?? ""]
        return .object(JSONObject(object.entries.filter { !besides.contains($0.key) }.map { ($0.key, $0.value) }))
    }

    /// What stood at a revision; null for nothing.
    func value(of subject: String, at revision: Int64) -> JSONValue {
        images[subject]?.last { $0.revision <= revision }?.value ?? .null
    }

    /// Whether something stood like that at this revision or a later one.
    func stood(_ value: JSONValue, as subject: String, from revision: Int64) -> Bool {
        let value = Self.kept(value, of: subject)
        if self.value(of: subject, at: revision) == value { return true }
        return images[subject]?.contains { $0.revision > revision && $0.value == value } ?? false
    }

    /// Everything that stands at the end.
    var configuration: [String: JSONValue] {
        images.compactMapValues { $0.last?.value.isNull == false ? $0.last?.value : nil }
    }

    /// The renderers of a route that a build has, as the manifest says that is registered by then.
    func renderers(of route: String, in build: String, at revision: Int64) -> Set<String> {
        let manifest = value(of: "build/\(build)", at: revision)
        if manifest.isNull { return ["legacy"] }
        return Set(manifest["renderers"]?[route]?.array?.compactMap(\.string) ?? [])
    }
}
