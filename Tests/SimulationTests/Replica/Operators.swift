import FlagEvaluation
import HTTPServer
import Rollouts

/// What operators may ask for.
enum CommandKind: String, CaseIterable {
    case createFlow, editFlow, registerRoute, editRoute, plan
    case advance, retreat, hold, resume, rollBack, rollBackPart, lift, approve, island, rehearse, endRehearsal
    case putFlag, removeFlag, enableFlag, disableFlag, importFlags, putCohort, removeCohort, putBuild
    case createKey, revokeKey, rotateKey, setOverride, clearOverrides, editEnvironment
    case applyDocument, rollBackDocument
    case putCondition, freezeConditions, removeCondition, grantWaiver, revokeWaiver, pushEvidence, confirmSweep

    /// How often it is asked for beside the others.
    private var weight: Int {
        switch self {
        case .advance: 16
        case .resume, .rollBack, .putFlag, .pushEvidence, .plan: 6
        case .registerRoute, .editRoute, .retreat, .hold, .putCondition, .putBuild, .setOverride: 4
        case .approve, .rehearse, .freezeConditions, .applyDocument, .rollBackDocument, .grantWaiver: 3
        case .confirmSweep, .createFlow: 1
        default: 2
        }
    }

    static let weighted = allCases.flatMap { kind in [CommandKind](repeating: kind, count: kind.weight) }

    /// Whether the store decides on it without a look into the database before: of several that are sent at once, their
    /// order is then known.
    var isQueuedAtOnce: Bool {
        switch self {
        case .advance, .applyDocument, .rollBackDocument, .pushEvidence, .confirmSweep: false
        default: true
        }
    }
}

/// A request that somebody makes.
struct Ask {
    let kind: CommandKind
    let method: Method
    let target: String
    /// Without the reason, which stands in the target when there is no body.
    let body: JSONObject?
}

/// Operators who know how things are, but for what was changed by others meanwhile, and who make mistakes.
struct Operators {
    var random: SeededRandom
    var configuration = Configuration(environment: "", epoch: 1, revision: 0)
    /// Milliseconds since 1970.
    var now: Int64 = 0
    /// Documents that were exported, newest last.
    private var exports: [ConfigurationDocument] = []
    private var past: [Ask] = []

    static let hour: Int64 = 3_600_000
    static let day: Int64 = 24 * hour

    init(random: SeededRandom) { self.random = random }

    /// What is asked for next, as things are: most of it legal, some of it said before.
    mutating func next(
        _ kinds: [CommandKind] = CommandKind.weighted, in configuration: Configuration, at now: Int64
    ) -> Ask {
        (self.configuration, self.now) = (configuration, now)
        if random.chance(2) { exports = exports.suffix(5) + [ConfigurationDocument(of: configuration)] }
        if random.chance(6), let ask = past.randomElement(using: &random), kinds.contains(ask.kind) { return ask }
        while true {
            guard let ask = ask(for: random.one(of: kinds, or: .advance)) else { continue }
            past = past.suffix(30) + [ask]
            return ask
        }
    }

    /// A request of that kind; nil when there is nothing that it could be about.
    private mutating func ask(for kind: CommandKind) -> Ask? {
        switch kind {
        case .createFlow, .editFlow, .registerRoute, .editRoute, .plan: askForRoute(kind)
        case .advance, .retreat, .hold, .resume, .rollBack, .rollBackPart, .lift, .approve, .island, .rehearse,
            .endRehearsal:
            askForMove(kind)
        case .putFlag, .removeFlag, .enableFlag, .disableFlag, .importFlags, .putCohort, .removeCohort:
            askForFlag(kind)
        case .putBuild, .createKey, .revokeKey, .rotateKey, .setOverride, .clearOverrides, .editEnvironment,
            .confirmSweep:
            askForRest(kind)
        case .applyDocument, .rollBackDocument: askForDocument(kind)
        case .putCondition, .freezeConditions, .removeCondition, .grantWaiver, .revokeWaiver, .pushEvidence:
            askForProof(kind)
        }
    }

    /// One of the routes that something is true of; now and then any.
    mutating func oneRoute(where isMeant: (RouteRollout) -> Bool = { _ in true }) -> RouteRollout? {
        let all = configuration.routes.values.sorted { $0.key < $1.key }
        return (random.chance(95) ? all.filter(isMeant) : all).randomElement(using: &random)
    }

    mutating func oneKey(of things: [String: some Any], or more: [String] = []) -> String? {
        (things.keys.sorted() + more).randomElement(using: &random)
    }

    mutating func text(_ words: String...) -> JSONValue { .string(random.one(of: words, or: "")) }
}

extension Operators {
    private mutating func askForDocument(_ kind: CommandKind) -> Ask? {
        if kind == .rollBackDocument {
            let back = random.chance(80) ? random.number(in: 1...40) : random.number(in: 1...2_000)
            let to = max(0, configuration.revision - back)
            return Ask(
                kind: kind, method: .post, target: "/v1/config/rollback",
                body: ["to": .integer(to), "reshuffle": .bool(random.chance(80))])
        }
        let current = ConfigurationDocument(of: configuration)
        let document = random.chance(75) ? current : random.one(of: exports, or: current)
        return Ask(
            kind: kind, method: .post, target: "/v1/config/apply",
            body: [
                "document": .object(edited(document.json)), "reshuffle": .bool(random.chance(70)),
                "replace": .bool(random.chance(25)),
            ])
    }

    /// A document with some things in it changed, added and taken away.
    private mutating func edited(_ document: JSONObject) -> JSONObject {
        var document = document
        for _ in 0...random.number(in: 0...3) {
            let section = random.one(of: ["settings", "cohorts", "flows", "routes", "flags", "overrides"], or: "flags")
            var items = document[section]?.object ?? [:]
            let id = items.keys.randomElement(using: &random)
            switch (section, id) {
            case ("settings", _): items["unknownBuild"] = text("legacy", "trust")
            case ("flows", let id?), ("overrides", let id?):
                var item = items[id]?.object ?? [:]
                item["owner"] = text("Team", "Others")
                items[id] = .object(item)
            case ("routes", let id?):
                var item = items[id]?.object ?? [:]
                if random.chance(50) { item["owner"] = text("Team", "Others") } else { item["plan"] = plan() }
                if random.chance(30) { item["status"] = text("active", "held", "rolledBack") }
                items[id] = .object(item)
            case ("cohorts", let id?):
                items[id] = random.chance(20) ? nil : ["key": .string(id), "rule": rule()]
            case ("flags", let id?):
                items[id] =
                    random.chance(20)
                    ? nil
                    : ["key": .string(id), "bucketing": items[id]?["bucketing"] ?? "v2", "definition": definition()]
            default: break
            }
            if section == "overrides", random.chance(30), let id { items[id] = nil }
            if section == "flags", random.chance(30) {
                let key = "flag-\(random.number(in: 1...14))"
                items[key] = ["key": .string(key), "bucketing": "v2", "definition": definition()]
            }
            document[section] = .object(items)
        }
        return document
    }
}
