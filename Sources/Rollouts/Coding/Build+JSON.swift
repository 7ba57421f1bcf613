import FlagEvaluation
import RouteContract

extension Build {
    /// Reads what `json` writes; the member `build` is `{app}:{number}`.
    package init(json: JSONObject) throws(RolloutError) {
        guard let id = BuildID(try json.requiredString("build")) else {
            throw .invalidField("/build", "an app's key, a colon and a number")
        }
        try self.init(id: id, json: json, besides: ["build"])
    }

    /// Reads the manifest of a build whose id stands elsewhere; members named in `others` are passed over.
    package init(id: BuildID, json: JSONObject, besides others: Set<String> = []) throws(RolloutError) {
        try json.refuseMembers(
            besides: others.union(["version", "releasedAt", "minimumOS", "commit", "renderers"]))
        let manifest = try json.requiredObject("renderers")
        var renderers: [String: Set<Renderer>] = [:]
        for route in manifest.keys {
            let names = try manifest.optionalStrings(route, at: "/renderers") ?? []
            let known = Set(names.compactMap(Renderer.init(rawValue:)))
            guard known.count == names.count else {
                throw .invalidField(pointer(to: route, in: "/renderers"), "a list of legacy, migrated, each once")
            }
            renderers[route] = known
        }
        self.init(
            id: id, version: try json.requiredString("version"), releasedAt: try json.optionalInteger("releasedAt"),
            minimumOS: try json.optionalString("minimumOS"), commit: try json.optionalString("commit"),
            renderers: renderers)
    }

    /// As it is written on the wire, in the audit and in the store.
    package var json: JSONObject {
        let manifest = renderers.sorted { $0.key < $1.key }.map { route, renderers in
            (route, JSONValue.strings(renderers.map(\.rawValue).sorted()))
        }
        return [
            "build": .string(id.text), "version": .string(version), "releasedAt": .number(releasedAt),
            "minimumOS": .text(minimumOS), "commit": .text(commit), "renderers": .object(JSONObject(manifest)),
        ]
    }
}
