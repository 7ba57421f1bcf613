import FlagEvaluation
import RouteContract

@testable import Rollouts

/// What must hold in every state that can be reached.
func faultsOfState(_ configuration: Configuration, _ answers: Answers) -> [String] {
    guard let route = configuration.routes["trips.edit"] else { return ["the route is gone"] }
    return exposureFaults(configuration, route, answers) + fieldFaults(route) + stoppingFaults(configuration, answers)
}

/// Who may be given migrated at all.
private func exposureFaults(_ configuration: Configuration, _ route: RouteRollout, _ answers: Answers) -> [String] {
    var faults: [String] = []
    let isWatched = configuration.isWatched
    let isStopped = route.status == .rolledBack || route.status == .island
    for answer in answers.all {
        let who = "\(answer.unit ?? "nobody") in \(answer.build.text)"
        let renderers = configuration.renderers(of: "trips.edit", in: answer.build, claimed: nil)
        if let choice = answer.choice, !renderers.contains(choice.renderer) {
            faults.append("\(who) is given \(choice.renderer), which is not in the build")
        }
        if answer.choice == nil, !renderers.isEmpty { faults.append("\(who) is given nothing") }
        let isMigrated = answer.isFlagMigrated || (answer.choice?.renderer == .migrated && renderers.contains(.legacy))
        guard isMigrated else { continue }
        if isStopped { faults.append("\(who) is given migrated although the route is \(route.status)") }
        let isOverridden = answer.unit.map {
            configuration.overrides[Override.ID(route: "trips.edit", unit: $0)]?.renderer == .migrated
        }
        let isRehearsing = route.rehearsal?.isBack == false && answer.isInternal && answer.unit != nil
        if !isWatched, isOverridden != true, !isRehearsing {
            faults.append("\(who) is given migrated and no frozen stop condition watches")
        }
        if route.stage == .notStarted { faults.append("\(who) is given migrated although nothing has started") }
        if route.stage == .compatible, isOverridden != true, !isRehearsing {
            faults.append("\(who) is given migrated before the ladder")
        }
    }
    return faults
}

/// Stage, status and what stands beside them fit together.
private func fieldFaults(_ route: RouteRollout) -> [String] {
    let last = route.plan?.steps.count ?? 0
    let rules: [(String, Bool)] = [
        ("a step off the ladder", route.step == 0 || route.stage == .partialRollout),
        ("a step that the plan has not", (0...last).contains(route.step)),
        (
            "a step that decides while it is rolled back or an island",
            route.step == 0 || route.status == .active || route.status == .held
        ),
        (
            "an active ladder without a step",
            route.stage != .partialRollout || route.status != .active || route.step >= 1
        ),
        ("a highest step that the plan has not", (0...last).contains(route.highestHealthyStep)),
        (
            "an island without its owner, or an owner without an island",
            (route.status == .island) == (route.island != nil)
        ),
        (
            "rolled back from nowhere, or from somewhere and not rolled back",
            (route.status == .rolledBack) == (route.rolledBackFrom != nil)
        ),
        ("a level without a rollback", route.rollbackLevel == .drain || route.status == .rolledBack),
        (
            "rolled back outside compatible and partialRollout",
            route.status != .rolledBack || route.stage == .compatible || route.stage == .partialRollout
        ),
        (
            "held outside the ladder and defaultNew",
            route.status != .held || route.stage == .partialRollout || route.stage == .defaultNew
        ),
        (
            "an island where migrated was given",
            route.status != .island || route.stage <= .partialRollout
        ),
        (
            "a rehearsal outside compatible",
            route.rehearsal == nil || (route.stage == .compatible && route.status == .active)
        ),
        (
            "an approval of another step than the next",
            route.approval.map { .step($0.step) == route.nextMove || ($0.step == 1 && route.stage == .compatible) }
                ?? true
        ),
        ("scoped rollbacks of what is deleted", route.exclusions.isEmpty || route.stage < .oldDeleted),
    ]
    return rules.filter { !$0.1 }.map { "\($0.0): \(route.stage) \(route.status) step \(route.step)" }
}

/// Whoever is exposed can be brought back, by everybody who may change something and at every level.
private func stoppingFaults(_ configuration: Configuration, _ answers: Answers) -> [String] {
    guard let route = configuration.routes["trips.edit"], route.stage < .oldDeleted, !answers.exposed.isEmpty else {
        return []
    }
    var faults: [String] = []
    for role in [AccessKey.Role.editor, .approver, .admin] {
        let actor = Actor(name: "somebody", role: role, keyID: "k")
        for target in [Target.route("trips.edit"), .flow("trips"), .all] {
            let command = Command.move(.rollBack(level: role == .admin ? .abort : nil, scope: nil), target)
            do throws(RolloutError) {
                // Nothing is known and everything is locked: a rollback asks for neither.
                let applied = try configuration.applying(command, by: actor, reason: "stop", facts: Facts(), at: noon)
                if role == .editor, !Answers(of: applied.configuration).exposed.isEmpty {
                    faults.append("a rollback of \(target) leaves somebody on migrated")
                }
            } catch {
                faults.append("somebody is exposed and the role \(role.rawValue) cannot roll back: \(error.code)")
            }
        }
    }
    return faults
}

extension Configuration {
    /// Whether crash, hang and completion are watched by conditions that are frozen.
    fileprivate var isWatched: Bool {
        let watched = conditions.values.filter { $0.id.route == "trips.edit" && $0.isFrozen }.map(\.definition.metric)
        return Set(watched).isSuperset(of: [.crash, .hang, .completion])
    }
}

/// What must hold of every change that is made.
func faultsOf(
    _ move: Exploration.Move, _ before: Configuration, _ applied: AppliedCommand, _ earlier: Answers, _ later: Answers
) -> [String] {
    let after = applied.configuration
    guard let audit = applied.audit else {
        return after == before && applied.rows.isEmpty ? [] : ["a repeat changed something"]
    }
    var faults: [String] = []
    if after.revision != before.revision + 1 { faults.append("the revision is not the next") }
    var undone = after
    let isUndone = undone.undo(subject: audit.subject, before: audit.before, after: audit.after)
    undone.revision = before.revision
    if !isUndone || undone != before { faults.append("the audit entry does not lead back") }
    guard let old = before.routes["trips.edit"], let new = after.routes["trips.edit"] else { return faults }
    if old.stop != nil, new.stop != nil, (new.stage, new.step) > (old.stage, old.step) {
        faults.append("a route that is stopped goes on")
    }
    guard case .move(let verb, _) = move.command else { return faults }
    switch verb {
    case .rollBack(_, nil):
        if !later.exposed.isEmpty { faults.append("somebody gets migrated after a rollback") }
        fallthrough
    case .rollBack, .hold:
        if !later.exposed.isSubset(of: earlier.exposed) { faults.append("\(verb.name) gives migrated to more") }
    case .advance(let isForced):
        faults += hardFaults(before, old, new, move.facts)
        if isForced, move.actor.role != .admin { faults.append("\(move.actor.role) forced a move") }
        if old.status != .active { faults.append("a route that is \(old.status) advanced") }
        if !earlier.exposed.isSubset(of: later.exposed) { faults.append("an advance took migrated from somebody") }
    default: break
    }
    return faults
}

/// The hard gates, as the design words them: nothing passes them.
private func hardFaults(
    _ before: Configuration, _ old: RouteRollout, _ new: RouteRollout, _ facts: Facts
) -> [String] {
    guard old.stage != new.stage else { return [] }
    switch new.stage {
    case .compatible:
        let isCapable = before.builds.values.contains { $0.renderers["trips.edit"] == [.legacy, .migrated] }
        return isCapable ? [] : ["compatible although no build has both renderers"]
    case .partialRollout:
        return before.isWatched ? [] : ["the ladder was entered without frozen stop conditions"]
    case .oldDeleted:
        guard let pins = facts.livePins else { return ["legacy was deleted and no pin was counted"] }
        let last = before.builds.values.filter { $0.renderers["trips.edit"]?.contains(.legacy) ?? false }.map(\.id)
            .max()
        let old = last.map { last in
            pins["trips.edit"]?.legacy.filter { $0.key <= last }.values.reduce(0, +) ?? 0
        }
        let hasPins = old ?? 0 > 0 ? ["legacy was deleted under \(old ?? 0) live journeys"] : []
        return hasPins + (new.exclusions.isEmpty ? [] : ["legacy was deleted where a scoped rollback needs it"])
    default: return []
    }
}

/// A refusal says the truth: what is refused as illegal is not among the verbs that it calls legal.
func faultsOfRefusal(_ error: RolloutError, of move: Exploration.Move, in configuration: Configuration) -> [String] {
    guard case .move(let verb, .route) = move.command, error.code == .illegalMove,
        let route = configuration.routes["trips.edit"]
    else { return [] }
    if case .rollBack(_, .some) = verb { return [] }
    if case .resume(_, .some) = verb { return [] }
    return route.legalVerbs.contains(verb.name) ? ["\(verb.name) is refused, and said to be legal"] : []
}
