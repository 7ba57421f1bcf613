import Dispatch
import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import SignalboxServer
import Storage

/// A service of a large app: 25 flows of 12 routes on their ladders, watched and with evidence.
final class InterlockingSetting {
    static let routes = 300
    static let routesOfFlow = 12
    static let evidence = 20_000

    let caller: RouterCaller
    private let service: Service

    init(in folder: PinFolder) throws {
        let store = try Store.open(at: folder.database)
        let configuration = try Self.fill(store)
        Self.addEvidence(to: store, configuration)
        store.close()
        service = try Service(storeAt: folder.database)
        var secret = ""
        _ = try service.makeFirstKey { secret = $0 }
        caller = RouterCaller(router: service.router(), key: secret)
    }

    func close() { service.close() }

    /// Stores everything as one change, which no endpoint could.
    private static func fill(_ store: Store) throws -> Configuration {
        store.keep(try rows())
        guard store.configuration.routes.count == routes else { throw BenchmarkError("nothing was stored") }
        return store.configuration
    }

    private static func rows() throws -> [ConfigurationRow] {
        let now = PinLoop.now
        let rule = try JSONValue(parsing: #"{"ends_with":[{"var":"email"},"@example.org"]}"#)
        var rows: [ConfigurationRow] = [.cohort(Cohort(key: "internal", rule: rule))]
        let keys = (0..<routes).map { "flow\($0 / routesOfFlow).route\($0 % routesOfFlow)" }
        for number in 0..<(routes / routesOfFlow) {
            let id = JourneyID(milliseconds: now, randomA: 0, randomB: UInt64(number)).description
            rows.append(.flow(Flow(id: id, key: "flow\(number)", owner: "bench")))
        }
        for number in 700..<720 as Range<Int64> {
            rows.append(
                .build(
                    Build(
                        id: BuildID(app: "app", number: number), version: "7.\(number - 700).0", releasedAt: now,
                        renderers: Dictionary(uniqueKeysWithValues: keys.map { ($0, [.legacy, .migrated]) }))))
        }
        for (number, key) in keys.enumerated() {
            rows.append(.route(route(key, in: "flow\(number / routesOfFlow)", at: now)))
            for metric in [StopCondition.Metric.crash, .hang, .completion] {
                rows.append(.condition(try condition(metric, of: key, at: now)))
            }
            rows.append(
                .waiver(
                    Waiver(
                        id: Waiver.ID(route: key, gate: "stopConditions", move: "defaultNew"), approver: "bench",
                        reason: "measuring", grantedAt: now, expiresAt: now + 86_400_000)))
        }
        return rows
    }

    private static func route(_ key: String, in flow: String, at now: Int64) -> RouteRollout {
        var route = RouteRollout(key: key, flow: flow, createdAt: now)
        (route.owner, route.reason) = ("bench", "measuring")
        (route.stage, route.step, route.highestHealthyStep) = (.partialRollout, 2, 2)
        route.contract = RegisteredContract(schemaVersion: 1, payload: ["id": "string"], outcomes: ["saved"])
        route.entryPoints = (0..<5).map { EntryPoint(kind: .deepLink, source: "app://\(key)/\($0)") }
        route.legacySymbols = ["OldController", "OldCell"]
        route.deletion = Deletion(date: "2030-12-31", owner: "bench")
        route.plan = RolloutPlan(steps: [
            .init(cohort: "internal", share: 50_000), .init(cohort: nil, share: 100_000),
        ])
        return route
    }

    private static func condition(
        _ metric: StopCondition.Metric, of route: String, at now: Int64
    ) throws -> StopCondition {
        var members: JSONObject = [
            "metric": .string(metric.rawValue), "margin": 2, "alphaShare": .float(0.01), "action": "rollback",
        ]
        if metric == .completion {
            members["margin"] = .float(0.01)
            members["method"] = ["test": "confidenceSequence", "plannedUnits": 20_000]
        }
        return StopCondition(
            id: StopCondition.ID(route: route, key: metric.rawValue, version: 1),
            definition: try StopCondition.Definition(json: members), frozenAt: now)
    }

    /// Items of all kinds for all routes, each with an entry of the audit, as pushes leave them.
    private static func addEvidence(to store: Store, _ configuration: Configuration) {
        let artefact = Array(#"{"kind":"parity"}"#.utf8)
        let routes = configuration.routes.values.sorted { $0.key < $1.key }
        let kinds = EvidenceItem.Kind.allCases
        let (now, actor) = (PinLoop.now, Actor(name: "bench", role: .editor, keyID: "key"))
        let stored = DispatchSemaphore(value: 0)
        for number in 0..<evidence {
            let route = routes[number % routes.count]
            let item = EvidenceItem(
                id: JourneyID(milliseconds: now, randomA: 0, randomB: UInt64(number)).description,
                kind: kinds[number / routes.count % kinds.count], route: route.key,
                contract: route.contract?.hash ?? "",
                build: BuildID(app: "app", number: 700 + Int64(number % 20)), producer: "CI",
                artefact: ContentHash.of(artefact), size: artefact.count, finding: finding(number), createdAt: now,
                expiresAt: now + 20 * 86_400_000)
            let audit = AuditDraft(
                actor: actor, action: "evidence.push", subject: "evidence/\(route.key)", reason: "CI run \(number)",
                before: .null, after: .object(item.json))
            store.record({ _, _ in RecordedEvidence(item: item, audit: audit) }, artefact: artefact) { _ in
                stored.signal()
            }
            if number >= 4_096 { stored.wait() }
        }
        for _ in 0..<min(4_096, evidence) { stored.wait() }
    }

    private static func finding(_ number: Int) -> EvidenceFinding {
        var finding = EvidenceFinding(.pass)
        finding.coverage = ["open", "edit", "save", "run \(number)"].flatMap { scenario in
            EvidenceFinding.Coverage.TextSize.allCases.map {
                EvidenceFinding.Coverage(
                    scenario: scenario, textSize: $0, dimensions: Set(EvidenceFinding.Coverage.Dimension.allCases),
                    verdict: .pass)
            }
        }
        finding.deviceTier = .low
        return finding
    }
}
