import FlagEvaluation
import HTTPServer
import Parity
import Rollouts
import RouteContract

extension Operators {
    mutating func askForProof(_ kind: CommandKind) -> Ask? {
        switch kind {
        case .putCondition:
            let known = configuration
            guard let route = oneRoute(where: { known.conditionsInForce(of: $0.key).count < 3 }) else { return nil }
            let metric = oneMetric(for: route)
            return Ask(
                kind: kind, method: .put, target: "/v1/routes/\(route.key)/conditions/\(metric.rawValue)",
                body: condition(metric))
        case .freezeConditions:
            let drafts = Set(configuration.conditions.values.filter { !$0.isFrozen }.map(\.id.route))
            guard let route = oneRoute(where: { drafts.contains($0.key) }) else { return nil }
            let body: JSONObject = random.chance(30) ? ["condition": text("crash", "hang", "completion")] : [:]
            return Ask(kind: kind, method: .post, target: "/v1/routes/\(route.key)/conditions/freeze", body: body)
        case .removeCondition:
            let all = configuration.conditions.values.filter { !$0.isFrozen || random.chance(5) }.map(\.id).sorted()
            guard let id = all.randomElement(using: &random) else { return nil }
            return Ask(
                kind: kind, method: .delete, target: "/v1/routes/\(id.route)/conditions/\(id.key)", body: nil)
        case .grantWaiver: return grantWaiver
        case .revokeWaiver:
            guard let id = configuration.waivers.keys.sorted().randomElement(using: &random) else { return nil }
            let move = id.move.map { "&move=" + $0.split(separator: " ").joined(separator: "%20") } ?? ""
            return Ask(
                kind: kind, method: .delete, target: "/v1/routes/\(id.route)/waivers?gate=\(id.gate)\(move)", body: nil)
        default: return pushEvidence
        }
    }

    private mutating func oneMetric(for route: RouteRollout) -> StopCondition.Metric {
        let needed = [StopCondition.Metric.crash, .hang, .completion]
        let written = Set(configuration.conditions(of: route.key).map(\.definition.metric))
        let missing = needed.filter { !written.contains($0) }
        return random.one(of: missing.isEmpty ? StopCondition.Metric.allCases : missing, or: .crash)
    }

    private mutating func condition(_ metric: StopCondition.Metric) -> JSONObject {
        var body: JSONObject = [
            "metric": .string(metric.rawValue), "action": text("rollback", "hold", "warn"),
            "alphaShare": random.one(of: [0.005, 0.01], or: 0.01),
        ]
        switch metric.test {
        case .conditionalBinomial: body["margin"] = random.one(of: [1.5, 2], or: 2)
        case .confidenceSequence:
            body["margin"] = random.one(of: [0.01, 0.25], or: 0.01)
            body["method"] = ["test": "confidenceSequence", "plannedUnits": .integer(random.number(in: 2...20_000))]
        case .dirichletMultinomial: break
        }
        if metric == .loadTime || metric == .hitchRatio { body["cap"] = 30.5 }
        if random.chance(20) { body["minimumUnits"] = .integer(random.number(in: 1...500)) }
        return body
    }

    private var grantWaiver: Ask? {
        mutating get {
            guard let route = oneRoute() else { return nil }
            let gates = ["parity", "rehearsal", "stopConditions", "performance", "releases", "oldBuilds", "owner"]
            let gate = random.one(of: gates, or: "parity")
            let move = random.one(of: ["partialRollout", "defaultNew", "oldDisabled", "step 2", nil], or: nil)
            return Ask(
                kind: .grantWaiver, method: .post, target: "/v1/routes/\(route.key)/waivers",
                body: [
                    "gate": .string(gate), "move": gate == "stopConditions" ? "defaultNew" : .text(move),
                    "expiresAt": .integer(now + random.number(in: 1...80) * Self.hour),
                ])
        }
    }

    private var pushEvidence: Ask? {
        mutating get {
            guard let route = oneRoute(where: { $0.contract != nil }) else { return nil }
            let able = configuration.builds.values.filter { $0.renderers[route.key] == [.legacy, .migrated] }
            guard let build = able.map(\.id).sorted().randomElement(using: &random) else { return nil }
            let kind = random.one(of: EvidenceItem.Kind.allCases, or: .parity)
            var body: JSONObject = ["kind": .string(kind.rawValue), "build": .string(build.text)]
            body["artefact"] = .string(artefact(kind, of: route, in: build).jsonText)
            if random.chance(30) { body["expiresAt"] = .integer(now + random.number(in: 1...29) * Self.day) }
            return Ask(
                kind: .pushEvidence, method: .post, target: "/v1/routes/\(route.key)/evidence", body: body)
        }
    }

    private mutating func artefact(_ kind: EvidenceItem.Kind, of route: RouteRollout, in build: BuildID) -> JSONValue {
        var artefact: JSONObject = ["kind": .string(kind.rawValue)]
        switch kind {
        case .parity, .performance:
            artefact["runs"] = .array(["default", "largest"].map { run(of: route, in: build, size: $0) })
            if kind == .performance { artefact["deviceTier"] = text("low", "high") }
        case .entryPoints: artefact["entryPoints"] = .array(entryPoints(Int(random.number(in: 0...3))))
        case .restorationFixtures:
            artefact["fixtures"] = [
                ["release": text("7.1.0", "7.2.0"), "fixture": "f", "decodes": .bool(random.chance(80))]
            ]
        case .codeReferences:
            artefact["commit"] = .string(String(repeating: "c", count: 40))
            artefact["references"] = random.chance(30) ? [["file": "a.swift", "line": 1, "symbol": "OldCell"]] : []
            artefact["dirty"] = .bool(random.chance(20))
        case .accessibilityAudit:
            artefact["defects"] = [
                ["id": "d-1", "severity": .integer(random.number(in: 1...3)), "open": .bool(random.chance(50))]
            ]
        case .rehearsal: break
        }
        return .object(artefact)
    }

    /// Legacy twice and migrated once, which sometimes differs.
    private mutating func run(of route: RouteRollout, in build: BuildID, size: String) -> JSONValue {
        let label = random.chance(25) ? "Title" : "Name"
        func recording(_ renderer: Renderer, _ run: Int64, _ label: String) -> JSONValue {
            var recorder = ParityRecorder(
                ParityHeader(
                    flow: route.flow, scenario: "rename", renderer: renderer, run: run,
                    contract: route.contract?.hash ?? "", app: build.app, build: String(build.number), os: "17.5",
                    device: "iPhone12,8", locale: "de", contentSize: size, recorder: "tests/1", seed: 1))
            recorder.element("name", label: label, traits: ["header"], actions: ["activate"])
            recorder.samples(of: "open", unit: "ms", (0..<20).map { 10 + Double($0 % 3) })
            return .string(String(decoding: recorder.recording, as: UTF8.self))
        }
        return [
            "legacy": recording(.legacy, 1, "Name"), "control": recording(.legacy, 2, "Name"),
            "migrated": recording(.migrated, 1, label),
        ]
    }
}
