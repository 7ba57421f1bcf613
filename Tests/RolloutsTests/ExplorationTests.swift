import FlagEvaluation
import RouteContract
import Testing

@testable import Rollouts

private typealias Move = Exploration.Move

private let ash = Actor(name: "ash", role: .approver, keyID: "k-ash")

/// What may be known when a route advances.
private enum Known: String, CaseIterable {
    case nothing, all, journeysInFlight

    var facts: Facts {
        guard self != .nothing else { return Facts() }
        var (facts, pins) = (Facts.example, LivePins())
        if self == .journeysInFlight { pins.legacy[BuildID(app: "app", number: 730)] = 9 }
        facts.livePins = ["trips.edit": pins]
        facts.recentJourneys = [:]
        return facts
    }
}

/// Every verb, by every role, whatever is known.
private let verbs: [Move] = {
    var moves: [Move] = []
    for known in Known.allCases {
        moves.append(Move(name: "advance, knowing \(known)", command: .advance, actor: eve, facts: known.facts))
        moves.append(
            Move(
                name: "force, knowing \(known)", command: .move(.advance(isForced: true)), actor: ana,
                facts: known.facts))
    }
    moves.append(Move(name: "force without the role", command: .move(.advance(isForced: true)), actor: ash))
    for (name, verb) in [
        ("retreat", Verb.retreat), ("hold", .hold), ("resume", .resume(cause: nil, step: nil)),
        ("resume with cause", .resume(cause: "fixed", step: nil)), ("resume at 2", .resume(cause: "fixed", step: 2)),
        ("roll back", .rollback), ("abort", .rollBack(level: .abort, scope: nil)),
        ("island", .island(owner: "ana", reviewDate: "2031-01-31")),
    ] { moves.append(Move(name: name, command: .move(verb), actor: eve)) }
    return moves
}()

private let freezing = Move(name: "freeze", command: .freezeConditions(route: "trips.edit", key: nil))

/// What a condition that nobody has judged needs before migrated is the default.
private let waiving = Move(
    name: "waive stopConditions",
    command: .grantWaiver(
        Waiver.ID(route: "trips.edit", gate: "stopConditions", move: "defaultNew"), expiresAt: noon + day), actor: ash)

/// Builds come, the last of them without legacy; conditions are frozen or not.
private let buildMoves: [Move] = {
    let manifests: [(Int64, Set<Renderer>)] = [(720, [.legacy]), (730, [.legacy, .migrated]), (740, [.migrated])]
    return manifests.map { number, renderers in
        Move(name: "build \(number)", command: .putBuild(.app(number, ["trips.edit": renderers])), actor: eve)
    } + [
        freezing, waiving, Move(name: "drop crash", command: .removeCondition(route: "trips.edit", key: "crash")),
        Move(
            name: "an older build again", command: .putBuild(.app(750, ["trips.edit": [.legacy, .migrated]])),
            actor: eve),
    ]
}()

/// Conditions stop and allow; approvers approve and waive.
private let stopMoves: [Move] = {
    var moves = [freezing]
    for (key, definition) in [("crash", StopCondition.Definition.crash()), ("completion", .completion())] {
        let id = StopCondition.ID(route: "trips.edit", key: key, version: 1)
        let hash = StopCondition(id: id, definition: definition).hash
        for verdict in [StopCondition.Judgement.Verdict.stop, .allowed] {
            moves.append(
                Move(
                    name: "\(key): \(verdict)",
                    command: .judge(route: "trips.edit", hash: hash, verdict, numbers: ["n": 1]), actor: .engine))
        }
    }
    for actor in [eve, ash] {
        moves.append(Move(name: "approve as \(actor.role)", command: .move(.approve), actor: actor))
        for (gate, move) in [("stopConditions", "defaultNew"), ("stopConditions", "partialRollout")] {
            let id = Waiver.ID(route: "trips.edit", gate: gate, move: move)
            moves.append(
                Move(
                    name: "waive \(gate) as \(actor.role)", command: .grantWaiver(id, expiresAt: noon + day),
                    actor: actor))
        }
    }
    return moves
}()

/// Single people, a rehearsal, and rollbacks of a part.
private func peopleMoves(in configuration: Configuration) -> [Move] {
    let route = configuration.routes["trips.edit"]
    let override = Override(
        id: Override.ID(route: "trips.edit", unit: "u-1"), renderer: .migrated, owner: "qa", reason: "a test",
        expiresAt: noon + day)
    var moves = [
        freezing, waiving, Move(name: "override", command: .setOverride(override), actor: eve),
        Move(name: "clear overrides", command: .clearOverrides(route: "trips.edit", unit: nil), actor: eve),
        Move(name: "rehearse", command: .rehearse(route: "trips.edit", cohort: "internal", seconds: 60)),
        Move(name: "end the rehearsal", command: .endRehearsal(route: "trips.edit")),
        Move(
            name: "the rehearsal turns", command: .turnRehearsal(route: "trips.edit"), actor: .engine,
            now: route?.rehearsal.map { $0.isBack ? $0.endsAt : $0.backAt } ?? noon),
    ]
    let scopes = [
        RollbackScope(app: "app"), RollbackScope(builds: BuildRange("app:730..app:735")),
        RollbackScope(os: OSRange(">=18")),
    ]
    for scope in scopes {
        moves.append(
            Move(name: "roll back \(scope.text)", command: .move(.rollBack(level: nil, scope: scope)), actor: eve))
    }
    for exclusion in route?.exclusions ?? [] {
        moves.append(Move(name: "lift \(exclusion.scope.text)", command: .move(.lift(scope: exclusion.id)), actor: eve))
    }
    return moves
}

/// A route of which nothing is frozen and no build is known yet, on a ladder of two steps of which the last is approved.
private func start(builds: [Build]) throws -> Configuration {
    var configuration = Configuration(environment: "production", epoch: 1, revision: 0)
    var fields = RouteFields.complete
    var last = RolloutPlan.Step(cohort: nil, share: 50_000)
    last.needsApproval = true
    fields.plan = RolloutPlan(steps: [.init(cohort: "internal", share: 100_000), last], releasesBeforeDisabling: 1)
    let commands: [Command] =
        [
            .createFlow(.trips),
            .putCohort(key: "internal", rule: ["==": [["var": "team"], "internal"]], isStrict: true),
            .registerRoute(key: "trips.edit", flow: "trips", fields),
        ] + builds.map { .putBuild($0) } + Command.conditions(of: "trips.edit").dropLast()
    for command in commands { configuration = try configuration.after(command) }
    return configuration
}

private let capable: Build = .app(730, ["trips.edit": [.legacy, .migrated]])
private let deleting: Build = .app(740, ["trips.edit": [.migrated]])

/// What is tried beside the verbs.
private enum Field: String, CaseIterable {
    case builds, stops, people

    func explored() throws -> Exploration {
        switch self {
        case .builds: Exploration(from: try start(builds: [])) { _ in verbs + buildMoves }
        case .stops: Exploration(from: try start(builds: [capable, deleting])) { _ in verbs + stopMoves }
        case .people:
            Exploration(from: try start(builds: [capable, deleting])) { verbs + peopleMoves(in: $0) }
        }
    }
}

@Suite struct `Every state that can be reached` {
    /// Stage and status go together in these ways and in no other.
    private static let places: Set<String> = [
        "notStarted-active", "notStarted-island", "compatible-active", "compatible-rolledBack", "compatible-island",
        "partialRollout-active", "partialRollout-held", "partialRollout-rolledBack", "partialRollout-island",
        "defaultNew-active", "defaultNew-held", "oldDisabled-active", "oldDeleted-active",
    ]

    @Test(arguments: Field.allCases) private func `is safe, and so is every way there`(field: Field) throws {
        let clock = ContinuousClock()
        let began = clock.now
        let explored = try field.explored()
        print(
            "exploration of \(field): \(explored.states) states, \(explored.transitions) transitions,",
            "\(explored.refusals) of them refused, in \((clock.now - began) / .seconds(1)) s")
        #expect(explored.faults.isEmpty, "\(explored.faults.map(\.description).joined(separator: "\n"))")
        #expect(explored.places == Self.places)
    }
}
