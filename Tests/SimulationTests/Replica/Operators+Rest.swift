import FlagEvaluation
import HTTPServer
import Rollouts

extension Operators {
    private static let mostBuilds = 40

    mutating func askForRest(_ kind: CommandKind) -> Ask? {
        switch kind {
        case .putBuild: return putBuild
        case .createKey:
            var body: JSONObject = ["kind": text("app", "server", "admin"), "holder": text("Ada", "a server")]
            if body["kind"] == "admin" { body["role"] = text("viewer", "auditor", "editor", "approver", "admin") }
            if random.chance(30) { body["expiresAt"] = .integer(now + random.number(in: 1...20) * Self.day) }
            return Ask(kind: kind, method: .post, target: "/v1/keys", body: body)
        case .revokeKey, .rotateKey:
            // The first one is whoever drives this.
            let others = configuration.keys.values.filter { $0.holder != "first-admin" }.map(\.id).sorted()
            guard let id = others.randomElement(using: &random) else { return nil }
            var body = JSONObject()
            if kind == .rotateKey { body["overlapSeconds"] = .integer(random.number(in: 0...90_000)) }
            let verb = kind == .revokeKey ? "revoke" : "rotate"
            return Ask(kind: kind, method: .post, target: "/v1/keys/\(id)/\(verb)", body: body)
        case .setOverride:
            guard let route = oneRoute(where: { $0.obeysOverrides }) else { return nil }
            let expiry = now + random.number(in: 1...200) * Self.hour
            return Ask(
                kind: kind, method: .post, target: "/v1/overrides",
                body: [
                    "route": .string(route.key), "unit": .string(unit), "renderer": text("legacy", "migrated"),
                    "owner": text("Ada", "Bea"), "expiresAt": .integer(expiry),
                ])
        case .clearOverrides:
            let ids = configuration.overrides.keys.sorted()
            guard let id = ids.randomElement(using: &random) else { return nil }
            let which = random.chance(70) ? "unit=\(id.unit)" : "all=true"
            return Ask(kind: kind, method: .delete, target: "/v1/overrides?route=\(id.route)&\(which)", body: nil)
        case .editEnvironment:
            return Ask(
                kind: kind, method: .patch, target: "/v1/environment", body: ["unknownBuild": text("legacy", "trust")])
        default: return Ask(kind: kind, method: .post, target: "/v1/sweep", body: ["confirm": true])
        }
    }

    private var unit: String { mutating get { "u-\(random.number(in: 0...12))" } }

    private var putBuild: Ask {
        mutating get {
            var number = random.number(in: 700...760)
            let known = configuration.builds.values.sorted { $0.id < $1.id }
            var build = known.randomElement(using: &random).map(\.json) ?? [:]
            build["releasedAt"] = .integer(now - random.number(in: 0...3) * Self.hour)
            let isRepeat = known.count >= Self.mostBuilds || random.chance(20)
            if isRepeat, let id = build["build"]?.string {
                build["build"] = nil
                return Ask(kind: .putBuild, method: .put, target: "/v1/builds/\(id)", body: build)
            }
            // Newer ones come without legacy, so that something can be deleted.
            if random.chance(30) { number += 60 }
            let kinds: [[JSONValue]] =
                number > 760 ? [["migrated"], ["legacy", "migrated"]] : [["legacy"], ["legacy", "migrated"]]
            var renderers = JSONObject()
            for key in configuration.routes.keys.sorted() where random.chance(80) {
                renderers[key] = .array(random.one(of: kinds, or: ["legacy"]))
            }
            build = [
                "version": .string("7.\(number - 700).0"), "renderers": .object(renderers),
                "releasedAt": random.chance(30) ? .null : .integer(now - random.number(in: 0...20) * Self.hour),
            ]
            if random.chance(50) { build["minimumOS"] = "17.0" }
            if random.chance(50) { build["commit"] = .string(String(repeating: "c", count: 40)) }
            let app = random.chance(70) ? "app" : "pad"
            return Ask(kind: .putBuild, method: .put, target: "/v1/builds/\(app):\(number)", body: build)
        }
    }
}
