import RouteContract

/// The routes that are to come to a stage, of a flow or of the environment.
package struct Programme: Hashable, Sendable {
    /// By key. A route that is declared an island is not among them: it stays legacy on purpose.
    package let routes: Set<String>
    /// How many of them stand at the stage or past it. A rollback brings a route back to the ladder, so before `defaultNew`.
    package let done: Int
    package let islands: Int

    package init(of flow: String?, to stage: Stage, in configuration: Configuration) {
        let all = configuration.routes.values.filter { flow == nil || $0.flow == flow }
        let moving = all.filter { $0.status != .island }
        routes = Set(moving.map(\.key))
        done = moving.count { $0.stage >= stage }
        islands = all.count - moving.count
    }
}
