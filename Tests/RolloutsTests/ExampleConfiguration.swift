import FlagEvaluation
import RouteContract

@testable import Rollouts

/// Milliseconds since 1970 at which the tests' commands are given, unless they say otherwise.
let noon: Int64 = 1_900_000_000_000
let day: Int64 = 86_400_000

let ana = Actor(name: "ana", role: .admin, keyID: "k-ana")
let eve = Actor(name: "eve", role: .editor, keyID: "k-eve")

extension Flow {
    static let trips = Flow(id: "01890a5d-ac96-774b-bcce-b302099a8057", key: "trips", owner: "team-trips")
    static let orders = Flow(id: "01890a5d-ac96-774b-bcce-b302099a8058", key: "orders", owner: "team-orders")
}

extension RolloutPlan {
    /// Internal people, a share of the beta cohort, then everybody.
    static let ladder = RolloutPlan(steps: [
        Step(cohort: "internal", share: 100_000), Step(cohort: "beta", share: 50_000),
        Step(cohort: nil, share: 5_000), Step(cohort: nil, share: 100_000),
    ])
}

extension RouteFields {
    /// All that the gates on stored data ask for.
    static var complete: RouteFields {
        var fields = RouteFields()
        fields.owner = "team-trips"
        fields.purpose = "SwiftUI on all screens"
        fields.contract = RegisteredContract(
            schemaVersion: 1, payload: ["trip": "string"], outcomes: ["saved", "closed"])
        fields.entryPoints = [EntryPoint(kind: .deepLink, source: "app://trips/{id}/edit")]
        fields.plan = .ladder
        fields.deletion = Deletion(date: "2031-06-30", owner: "ana")
        return fields
    }
}

extension Build {
    static func app(
        _ number: Int64, _ renderers: [String: Set<Renderer>], version: String = "7.3.0", releasedAt: Int64? = nil,
        commit: String? = nil
    ) -> Build {
        Build(
            id: BuildID(app: "app", number: number), version: version, releasedAt: releasedAt, commit: commit,
            renderers: renderers)
    }
}

extension AccessKey {
    static func admin(_ id: String, role: Role = .admin, expiresAt: Int64? = nil, fill: Character) -> AccessKey {
        AccessKey(
            id: id, kind: .admin, role: role, holder: "ana", hash: String(repeating: fill, count: 64), createdAt: noon,
            expiresAt: expiresAt)
    }
}

extension Configuration {
    /// Two flows, of which trips has two complete routes with frozen stop conditions; two cohorts; a build with both
    /// renderers; revision 40.
    static var example: Configuration {
        get throws {
            var configuration = Configuration(environment: "production", epoch: 1, revision: 23)
            let both: Set<Renderer> = [.legacy, .migrated]
            let commands: [Command] = [
                .createFlow(.trips), .createFlow(.orders),
                .putCohort(key: "internal", rule: ["==": [["var": "team"], "internal"]], isStrict: true),
                .putCohort(key: "beta", rule: ["==": [["var": "channel"], "beta"]], isStrict: true),
                .registerRoute(key: "trips.edit", flow: "trips", .complete),
                .registerRoute(key: "trips.list", flow: "trips", .complete),
                .registerRoute(key: "orders.detail", flow: "orders", RouteFields()),
                .putBuild(.app(730, ["trips.edit": both, "trips.list": both])),
                .putFlag(key: "new-search", definition: newSearch, isStrict: true),
            ]
            for command in commands + Command.conditions(of: "trips.edit") + Command.conditions(of: "trips.list") {
                configuration = try configuration.after(command)
            }
            return configuration
        }
    }

    /// The example with one route brought to a place in its rollout, without asking the gates.
    static func example(
        _ key: String = "trips.edit", at stage: Stage, _ status: RouteStatus = .active, step: Int = 0,
        since: Int64 = noon - 30 * day
    ) throws -> Configuration {
        var configuration = try example
        var route = try configuration.route(key)
        route.stage = stage
        route.status = status
        route.step = step
        route.stageSince = since
        route.stepSince = since
        configuration.store(.route(route))
        return configuration
    }

    func after(_ command: Command, by actor: Actor = ana, at now: Int64 = noon) throws -> Configuration {
        try applying(command, by: actor, reason: "a test", facts: .example, at: now).configuration
    }

    func audit(of command: Command, by actor: Actor = ana, at now: Int64 = noon) throws -> AuditDraft? {
        try applying(command, by: actor, reason: "a test", facts: .example, at: now).audit
    }

    /// Why the command is refused; nil when it is not.
    func refusal(of command: Command, by actor: Actor = ana, at now: Int64 = noon) -> RolloutError? {
        do throws(RolloutError) {
            _ = try applying(command, by: actor, reason: "a test", facts: .example, at: now)
            return nil
        } catch {
            return error
        }
    }

    /// Whether the command is accepted and leaves everything, the revision too, as it is.
    func isRepeat(_ command: Command, by actor: Actor = ana, at now: Int64 = noon + day) throws -> Bool {
        let applied = try applying(command, by: actor, reason: "again", facts: .example, at: now)
        return applied.rows.isEmpty && applied.audit == nil && applied.configuration == self
    }
}

let newSearch: JSONValue = [
    "state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "off",
    "targeting": ["if": [["$ref": "beta"], "on", "off"]],
]

extension StopCondition.Definition {
    static func crash(_ metric: StopCondition.Metric = .crash, action: StopCondition.Action = .rollback) -> Self {
        StopCondition.Definition(
            metric: metric, unit: .device, direction: .up, margin: 2, alphaShare: 0.01,
            method: .conditionalBinomial(grid: [1.25, 1.5, 2, 3, 4]), cap: nil, minimumUnits: 150,
            maturitySeconds: 129_600, maximumDurationSeconds: 2_419_200, graceSeconds: 86_400, action: action)
    }

    static func completion(action: StopCondition.Action = .hold) -> Self {
        var definition = crash(.completion, action: action)
        definition.unit = .firstJourney
        definition.direction = .down
        definition.margin = 0.01
        definition.method = .confidenceSequence(plannedUnits: 20_000)
        return definition
    }
}

extension EvidenceItem {
    /// What shows, for the example's contract, all that a gate asks of that kind.
    static func passing(
        _ kind: Kind, of route: String = "trips.edit", build: BuildID? = nil, at now: Int64 = noon - day
    )
        -> EvidenceItem
    {
        var finding = EvidenceFinding(.pass)
        switch kind {
        case .parity:
            finding.coverage = EvidenceFinding.Coverage.TextSize.allCases.map {
                EvidenceFinding.Coverage(
                    scenario: "edit", textSize: $0, dimensions: Set(EvidenceFinding.Coverage.Dimension.allCases),
                    verdict: .pass)
            }
        case .performance: finding.deviceTier = .low
        case .entryPoints: finding.entryPoints = RouteFields.complete.entryPoints ?? []
        case .restorationFixtures: finding.releases = ["7.4", "7.5"]
        case .codeReferences: finding.commit = "c740"
        case .rehearsal, .accessibilityAudit: break
        }
        return EvidenceItem(
            id: "\(kind.rawValue)-\(route)", kind: kind, route: route,
            contract: RouteFields.complete.contract?.hash ?? "",
            build: build ?? BuildID(app: "app", number: 730), producer: "CI",
            artefact: String(repeating: "a", count: 64),
            size: 1, finding: finding, createdAt: now, expiresAt: .max)
    }
}

extension Facts {
    /// Evidence of every kind for both routes of trips.
    static let example = Facts(
        evidence: EvidenceLedger(
            ["trips.edit", "trips.list"].flatMap { route in
                EvidenceItem.Kind.allCases.map { .passing($0, of: route) }
            }))
}

extension Command {
    /// What a route must be watched by, written and frozen.
    static func conditions(of route: String) -> [Command] {
        [
            .putCondition(route: route, key: "crash", .crash()),
            .putCondition(route: route, key: "hang", .crash(.hang)),
            .putCondition(route: route, key: "completion", .completion()), .freezeConditions(route: route, key: nil),
        ]
    }

    static func move(_ verb: Verb, _ key: String = "trips.edit") -> Command { .move(verb, .route(key)) }
    static var advance: Command { .move(.advance(isForced: false)) }
}

extension Configuration {
    /// All that is evaluated at this revision, compiled.
    func flagSet() -> FlagSet { CompiledConfiguration(self).flags }

    /// What says what decides, and which part, compiled.
    func decisionFlagSet() -> FlagSet { CompiledConfiguration(self).decisions }
}
