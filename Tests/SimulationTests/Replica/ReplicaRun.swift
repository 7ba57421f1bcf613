import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

@testable import SignalboxServer

/// One run: operators change an environment, processes crash, and a replica follows the audit.
final class ReplicaRun {
    let world: World
    var operators: Operators
    var random: SeededRandom
    var replica = Replica()
    /// The configuration as it was served at some of the revisions.
    var served: [Int64: Configuration] = [:]
    var accepted: [CommandKind: Int] = [:]
    var endpoints: Set<String> = []
    var engineActions: Set<String> = []
    let listed: [APIRoute]
    var figures = ReplicaFigures()
    /// What was asked, line by line.
    private(set) var log: [String] = []
    var faults: [String] = []

    init(seed: UInt64) async throws {
        world = try await World(seed: seed)
        listed = world.process.service.routes
        random = SeededRandom(seed: seed ^ 0xA5A5)
        operators = Operators(random: SeededRandom(seed: seed ^ 0x5A5A))
    }

    var process: ServiceProcess { world.process }
    private var configuration: Configuration { process.service.snapshot.configuration }

    /// Runs until so many commands were asked for, or something is wrong.
    func run(commands: Int) async {
        do {
            while figures.commands < commands, faults.isEmpty { try await step() }
            try await crash()
            if faults.isEmpty { try await end() }
        } catch {
            faults.append("\(error)")
        }
        (figures.seeds, figures.failed) = (1, faults.isEmpty ? 0 : 1)
        process.close()
    }

    private func step() async throws {
        switch random.number(in: 0...199) {
        case 0...2: try await crash(afterOperations: random.chance(50) ? nil : Int(random.number(in: 0...30)))
        case 3...7: await burst()
        case 8...17: await look()
        case 18...23: await judge()
        case 24...31: await startJourney()
        case 32...34: await rehearse()
        default: await command()
        }
        let most = random.chance(2) ? 2 * Operators.day : 10 * 60_000
        world.clock.pass(random.number(in: 0...most))
    }

    private func startJourney() async {
        _ = await process.send(.post, "/v1/journeys", world.newStart().json, key: world.adminKey).received()
    }

    private func command() async {
        let ask = operators.next(in: configuration, at: world.clock.now)
        await note(await send(ask).received(), to: ask)
    }

    /// Several commands at once: they come to the store in one transaction, and know nothing of one another.
    private func burst() async {
        let kinds = CommandKind.weighted.filter(\.isQueuedAtOnce)
        let letGo = process.holdWriter()
        let sent = (0...random.number(in: 1...6)).map { _ in
            let ask = operators.next(kinds, in: configuration, at: world.clock.now)
            return (ask, send(ask))
        }
        if random.chance(20) { planCrash(afterOperations: Int(random.number(in: 0...12))) }
        letGo()
        for (ask, sent) in sent { await note(await sent.received(), to: ask) }
        if world.disk.isDead { await restart() }
    }

    private func send(_ ask: Ask) -> Sent {
        figures.commands += 1
        let reason = "op-\(figures.commands)"
        var target = ask.target
        var body = ask.body
        if body != nil {
            body?["reason"] = .string(reason)
        } else {
            target += (target.contains("?") ? "&" : "?") + "reason=\(reason)"
        }
        return process.send(ask.method, target, body.map { .object($0) }, key: world.adminKey)
    }

    private func note(_ answer: (status: Int, json: JSONValue), to ask: Ask) async {
        let code = answer.json["error"]?["code"]?.string
        let body = ask.body.map { JSONValue.object($0).jsonText.prefix(300) } ?? ""
        log.append("\(ask.method) \(ask.target) \(body) → \(answer.status) \(code ?? "")")
        guard !world.disk.isDead else { return }
        if answer.status == 500 { faults.append("\(ask.kind) failed: \(answer.json.jsonText)") }
        // Evidence is new when it was created, and moves no revision.
        let isChange = ask.kind == .pushEvidence ? answer.status == 201 : answer.json["changed"] == true
        guard answer.status < 300, isChange else { return figures.refused += 1 }
        accepted[ask.kind, default: 0] += 1
        if let endpoint = listed.first(where: { $0.method == ask.method && $0.matches(ask.target) }) {
            endpoints.insert(endpoint.name)
        }
        let now = configuration
        if random.chance(4), answer.json["revision"]?.integer == now.revision { served[now.revision] = now }
    }
}

extension ReplicaRun {
    /// Lets the service do what is due by itself.
    private func look() async {
        process.service.climb(at: world.clock.now)
        // What a turn of a rehearsal measured is stored after the turn.
        for _ in 1...2 { await process.settle() }
    }

    /// A rehearsal from its beginning to its end, with journeys in it.
    private func rehearse() async {
        let routes = configuration.routes.values.filter { $0.stage == .compatible && $0.status == .active }
        let able = routes.map(\.key).filter(Sample.routes.contains).sorted()
        guard let key = able.randomElement(using: &random) else { return }
        let rule: JSONValue = ["ends_with": [["var": "email"], "@example.com"]]
        let asks = [
            Ask(kind: .putCohort, method: .put, target: "/v1/cohorts/internal", body: ["rule": rule]),
            Ask(
                kind: .rehearse, method: .post, target: "/v1/routes/\(key)/rehearse",
                body: ["cohort": "internal", "seconds": 60]),
        ]
        for ask in asks { await note(await send(ask).received(), to: ask) }
        for _ in 1...2 {
            for _ in 1...4 { await startJourney() }
            world.clock.pass(60_000)
            await look()
        }
    }

    /// A verdict on a condition, as whoever judges them gives it.
    private func judge() async {
        // A stop before the ladder ends overrides, so routes that have some are judged more often.
        let overridden = Set(configuration.overrides.keys.map(\.route))
        let meant = configuration.routes.values.filter { $0.stage == .compatible && overridden.contains($0.key) }
        let isMeant = !meant.isEmpty && random.chance(40)
        let keys = (isMeant ? meant.map(\.key) : Array(configuration.routes.keys)).sorted()
        let conditions = keys.flatMap { configuration.conditionsInForce(of: $0) }
        guard let condition = conditions.randomElement(using: &random) else { return }
        let others = random.one(of: StopCondition.Judgement.Verdict.allCases, or: .allowed)
        let verdict = random.chance(isMeant ? 80 : 5) ? .stop : random.chance(75) ? .allowed : others
        let now = world.clock.now
        let numbers: JSONObject = ["e": .float(Double(random.number(in: 1...400)) / 8), "units": 150]
        await process.change { configuration in
            try configuration.applying(
                .judge(route: condition.id.route, hash: condition.hash, verdict, numbers: numbers), by: .engine,
                reason: "judged", at: now)
        }
    }

    /// Ends the process now, or in the middle of what it writes next.
    private func crash(afterOperations count: Int? = nil) async throws {
        if let count {
            planCrash(afterOperations: count)
            for _ in 1...6 where !world.disk.isDead { await command() }
        }
        await restart()
        try await compare()
    }

    private func planCrash(afterOperations count: Int) {
        world.disk.crash(random.chance(50) ? .kill : .powerCut, afterOperations: count)
    }

    private func restart() async {
        await world.restart(as: random.one(of: [.kill, .powerCut, .powerCut, nil], or: .kill), looksAtLog: false)
        figures.restarts += 1
        faults += world.history.faults
        world.history = History()
        log.append("restart")
    }
}
