import FlagEvaluation
import Rollouts
import RouteContract

extension AppliedCommand {
    /// The routes from the ladder on whose contract is another one now, as warnings: evidence of the earlier one counts no
    /// more, and nothing stops the route for that.
    var contractWarnings: JSONValue {
        let before = audit?.before ?? .null
        let routes = rows.compactMap { row -> String? in
            guard case .route(let route) = row, route.stage >= .partialRollout else { return nil }
            let earlier = (before["items"]?["routes"]?[route.key] ?? before).object.flatMap {
                try? RouteRollout(json: $0)
            }
            guard let contract = earlier?.contract?.hash, contract != route.contract?.hash else { return nil }
            return route.key
        }
        return .objects(routes.map { ["code": "contract_changed", "route": .string($0)] })
    }
}

extension Schema {
    /// `contract_changed`: evidence that the route was moved on counts no more.
    static let contractWarnings = Schema.list(of: ["code": .words(["contract_changed"]), "route": .key])
}
