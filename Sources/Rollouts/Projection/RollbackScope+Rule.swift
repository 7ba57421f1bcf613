import FlagEvaluation
import RouteContract

extension RollbackScope {
    /// Whether a context lies in the scope, as a rule over its attributes `build`, `app` and `os`.
    ///
    /// What the context does not tell holds: a phone that cannot say its version may be the one that crashes. A build
    /// that nobody registered has no version, so a range of versions leaves it out; the environment says what it gets.
    func rule(among builds: some Sequence<Build>) -> JSONValue {
        var conditions: [JSONValue] = []
        if let app { conditions.append(Self.isBuild(of: app)) }
        switch self.builds {
        case .numbers(let app, let range):
            let number: JSONValue = ["substr": [Self.build, .integer(Int64(app.utf8.count + 1))]]
            conditions.append(Self.isBuild(of: app))
            conditions.append([
                "if": [
                    Self.tellsBuild,
                    [
                        "!": [
                            "or": [
                                ["<": [number, .integer(range.lowerBound)]],
                                [">": [number, .integer(range.upperBound)]],
                            ]
                        ]
                    ],
                    true,
                ]
            ])
        case .versions:
            let inside = builds.filter { contains($0) }.map(\.id).sorted().map(\.text)
            conditions.append(["if": [Self.tellsBuild, ["in": [Self.build, .strings(inside)]], true]])
        case nil: break
        }
        for comparison in os?.comparisons ?? [] {
            let isOutside: JSONValue = [
                "sem_ver": [["var": "os"], .string(comparison.sign.opposite), .string(comparison.version.full)]
            ]
            conditions.append(["!": isOutside])
        }
        return conditions.count == 1 ? conditions[0] : ["and": .array(conditions)]
    }

    private static let build: JSONValue = ["var": "build"]
    private static let tellsBuild: JSONValue = ["in": [":", build]]

    /// Whether the context may be one of that app: its build says so, else its attribute `app`, else nothing.
    private static func isBuild(of app: String) -> JSONValue {
        [
            "if": [
                tellsBuild, ["starts_with": [build, .string(app + ":")]],
                ["var": "app"], ["==": [["var": "app"], .string(app)]],
                true,
            ]
        ]
    }
}

extension RouteRollout {
    /// Whether a rule of the route asks for the versions of builds.
    var namesVersions: Bool {
        exclusions.contains { if case .versions = $0.scope.builds { true } else { false } }
    }

    /// For each scoped rollback its rule and the answer to give where it holds, the highest level first.
    func exclusionBranches(
        among builds: some Sequence<Build>, _ answer: (Exclusion) -> JSONValue
    ) -> [JSONValue] {
        exclusions.sorted { ($1.level, $0.since, $0.id) < ($0.level, $1.since, $1.id) }
            .flatMap { [$0.scope.rule(among: builds), answer($0)] }
    }

    /// A flag whose variants are the ids of the route's scoped rollbacks, the first of which that holds it answers, and
    /// `none`; nil where there are no such rollbacks.
    func exclusionProjection(among builds: some Sequence<Build>) -> JSONObject? {
        guard !exclusions.isEmpty, stage < .oldDeleted else { return nil }
        let names = ["none"] + exclusions.map(\.id)
        return [
            "state": "ENABLED", "variants": .object(JSONObject(names.map { ($0, .string($0)) })),
            "defaultVariant": "none",
            "targeting": ["if": .array(exclusionBranches(among: builds) { .string($0.id) })],
        ]
    }
}
