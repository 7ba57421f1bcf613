import FlagEvaluation
import RouteContract

extension Configuration {
    /// The most scoped rollbacks that a route may have at one time.
    package static let mostExclusions = 32

    /// Refuses a scope that names nothing (`invalid_scope`) or in which nothing lies (`scope_matches_nothing`): whoever
    /// mistyped it would believe that something was stopped.
    func check(_ scope: RollbackScope) throws(RolloutError) {
        guard scope.app != nil || scope.builds != nil || scope.os != nil else {
            throw RolloutError(.invalidScope, "A scope names an app, builds or an OS.")
        }
        if let os = scope.os, !os.isSatisfiable {
            throw nothing(in: scope, "no version is \(os.text)")
        }
        guard scope.app != nil || scope.builds != nil else { return }
        if let app = scope.app, !builds.keys.contains(where: { $0.app == app }) {
            throw nothing(in: scope, "no build of the app \(app) is registered")
        }
        guard builds.values.contains(where: scope.contains) else {
            throw nothing(in: scope, "no registered build lies in \(scope.text)")
        }
    }

    private func nothing(in scope: RollbackScope, _ why: String) -> RolloutError {
        RolloutError(
            .scopeMatchesNothing, "Nothing was rolled back: \(why).", details: ["scope": .object(scope.json)])
    }

    /// The route with a scoped rollback more, or with one of that scope raised.
    func excluding(
        _ scope: RollbackScope, at level: RollbackLevel?, from route: RouteRollout, of actor: Actor,
        because reason: String, at now: Int64
    ) throws(RolloutError) -> RouteRollout {
        guard (Stage.compatible...(.oldDisabled)).contains(route.stage) else {
            throw route.illegalMove(.rollBack(level: level, scope: scope))
        }
        var after = route
        if let index = route.exclusions.firstIndex(where: { $0.scope == scope }) {
            after.exclusions[index].level = max(route.exclusions[index].level, level ?? .drain)
            return after
        }
        guard route.exclusions.count < Self.mostExclusions else {
            throw RolloutError(
                .tooManyScopes,
                "\"\(route.key)\" has \(Self.mostExclusions) scoped rollbacks: roll it back as a whole, or lift some.",
                details: ["scopes": .strings(route.exclusions.map(\.id))])
        }
        after.exclusions.append(
            Exclusion(
                id: "s\(revision.addingReportingOverflow(1).partialValue)", scope: scope, level: level ?? .drain,
                reason: reason, since: now, by: actor.name))
        after.flippedBackAt = now
        after.approval = nil
        return after
    }

    /// The route without that scoped rollback.
    func lifting(_ id: String, from route: RouteRollout) throws(RolloutError) -> RouteRollout {
        var after = route
        after.exclusions.removeAll { $0.id == id }
        guard after != route else {
            throw RolloutError(
                .scopeNotFound, "\"\(route.key)\" has no scoped rollback \"\(id)\".",
                details: ["scopes": .strings(route.exclusions.map(\.id))])
        }
        return after
    }
}
