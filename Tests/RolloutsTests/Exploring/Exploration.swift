import FlagEvaluation
import RouteContract

@testable import Rollouts

/// Walks through everything that some moves can make of a configuration, breadth first, until no new state appears.
///
/// Two configurations are one state when they differ only in what no rule asks for: revisions, times, counters and what
/// is shown to people. All moves are made at one time, but for those of a rehearsal.
struct Exploration {
    /// Something that somebody asks for, knowing those facts.
    struct Move {
        let name: String
        let command: Command
        var actor = ana
        var facts = Facts.example
        var now = noon
    }

    /// What was found against an invariant, with the way there.
    struct Fault: CustomStringConvertible {
        let what: String
        let path: [String]
        var description: String { "\(what)\n    after \(path.joined(separator: " · "))" }
    }

    private(set) var states = 0
    private(set) var transitions = 0
    private(set) var refusals = 0
    private(set) var faults: [Fault] = []
    /// The stages, each with the statuses that were seen in it.
    private(set) var places: Set<String> = []

    private struct Visited {
        let configuration: Configuration
        let answers: Answers
        /// Where it was reached from, and by which move.
        let origin: (state: Int, move: String)?
    }

    private var visited: [Visited] = []
    private var known: [StateKey: Int] = [:]

    /// Explores from there with the moves that each state offers. Ends early when it has found enough.
    init(from start: Configuration, moves: (Configuration) -> [Move]) {
        add(start, from: nil)
        var next = 0
        while next < visited.count, faults.count < 10 {
            let before = visited[next]
            for move in moves(before.configuration) { make(move, from: next, before) }
            next += 1
        }
        states = visited.count
    }

    private mutating func make(_ move: Move, from index: Int, _ before: Visited) {
        transitions += 1
        let origin = (index, move.name)
        do throws(RolloutError) {
            let applied = try before.configuration.applying(
                move.command, by: move.actor, reason: "explored", facts: move.facts, at: move.now)
            let after = add(applied.configuration, from: origin)
            for fault in faultsOf(move, before.configuration, applied, before.answers, visited[after].answers) {
                note(fault, origin)
            }
        } catch {
            refusals += 1
            for fault in faultsOfRefusal(error, of: move, in: before.configuration) { note(fault, origin) }
        }
    }

    @discardableResult
    private mutating func add(_ configuration: Configuration, from origin: (state: Int, move: String)?) -> Int {
        let key = StateKey(configuration)
        if let index = known[key] { return index }
        let answers = Answers(of: configuration)
        visited.append(Visited(configuration: configuration, answers: answers, origin: origin))
        known[key] = visited.count - 1
        if let route = configuration.routes["trips.edit"] { places.insert("\(route.stage)-\(route.status)") }
        for fault in faultsOfState(configuration, answers) { note(fault, origin) }
        return visited.count - 1
    }

    private mutating func note(_ what: String, _ origin: (state: Int, move: String)?) {
        var (path, step) = ([String](), origin)
        while let here = step {
            path.append(here.move)
            step = visited[here.state].origin
        }
        faults.append(Fault(what: what, path: path.reversed()))
    }
}

/// What tells one state of the route from another.
private struct StateKey: Hashable {
    private let route: RouteRollout?
    private let exclusions: [Excluded]
    private let conditions: [StopCondition.ID: StopCondition]
    private let builds: Set<BuildID>
    private let overrides: Set<Override.ID>
    private let waivers: Set<Waiver.ID>

    private struct Excluded: Hashable {
        let scope: RollbackScope
        let level: RollbackLevel
    }

    init(_ configuration: Configuration) {
        exclusions = (configuration.routes["trips.edit"]?.exclusions ?? []).map {
            Excluded(scope: $0.scope, level: $0.level)
        }
        route = configuration.routes["trips.edit"].map(Self.reduced)
        conditions = configuration.conditions
        builds = Set(configuration.builds.keys)
        overrides = Set(configuration.overrides.keys)
        waivers = Set(configuration.waivers.keys)
    }

    private static func reduced(_ route: RouteRollout) -> RouteRollout {
        var route = route
        // What never changes here is not compared; what is counted or shown decides nothing.
        (route.contract, route.plan, route.entryPoints, route.forced) = (nil, nil, [], nil)
        (route.stageSince, route.stepSince, route.stepRevision, route.flipBacks) = (0, 0, nil, 0)
        (route.exclusions, route.flippedBackAt) = ([], nil)
        route.stop = route.stop.map { RouteStop(condition: $0.condition, hash: "", at: 0) }
        route.approval = route.approval.map { StepApproval(step: $0.step, by: "", at: 0, hash: nil) }
        return route
    }
}

/// What new journeys are given in a state: each of some people, in each of some builds.
struct Answers {
    struct Answer {
        let unit: String?
        let isInternal: Bool
        let build: BuildID
        /// What the flag alone says, as an OpenFeature client would get it.
        let isFlagMigrated: Bool
        let choice: Choice?
    }

    let all: [Answer]

    /// The places in `all` that got migrated from a build with both renderers.
    let exposed: Set<Int>

    static let builds = [720, 730, 740, 999].map { BuildID(app: "app", number: Int64($0)) }
    private static let people: [(unit: String?, isInternal: Bool)] = [
        (nil, false), ("u-1", false), ("u-2", true), ("u-3", false), ("u-4", false),
    ]

    init(of configuration: Configuration) {
        let compiled = CompiledConfiguration(configuration)
        let route = configuration.routes["trips.edit"]
        var (all, exposed): ([Answer], Set<Int>) = ([], [])
        for (unit, isInternal) in Self.people {
            for build in Self.builds {
                let attributes: JSONObject = [
                    "team": isInternal ? "internal" : "other", "build": .string(build.text), "os": "17.4.0",
                ]
                let context = EvaluationContext(targetingKey: unit, attributes: attributes)
                let variant = compiled.flags.evaluation(of: "trips.edit", for: context, at: noon / 1_000).variant
                let excluded = compiled.exclusions.evaluation(of: "trips.edit", for: context, at: noon / 1_000).variant
                let override = unit.flatMap { configuration.overrides[Override.ID(route: "trips.edit", unit: $0)] }
                let renderers = configuration.renderers(of: "trips.edit", in: build, claimed: nil)
                let input = ChoiceInput(
                    stage: route?.stage ?? .notStarted, status: route?.status ?? .active,
                    isExcluded: excluded.map { $0 != "none" } ?? false,
                    override: route?.obeysOverrides ?? false ? override?.renderer : nil,
                    flag: FlagDecision(variant == "migrated" ? .migrated : .legacy, by: .share),
                    inBuild: RendererSet(Array(renderers)))
                let choice = choose(input)?.choice
                if choice?.renderer == .migrated, renderers.contains(.legacy) { exposed.insert(all.count) }
                all.append(
                    Answer(
                        unit: unit, isInternal: isInternal, build: build, isFlagMigrated: variant == "migrated",
                        choice: choice))
            }
        }
        (self.all, self.exposed) = (all, exposed)
    }
}
