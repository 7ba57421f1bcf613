import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/healthz` and `/readyz`
    mutating func addOperationsEndpoints() {
        let service = self.service
        addOpen(.get, "/healthz") { _ in .now(.json(["alive": true])) }
        addOpen(.get, "/readyz") { _ in .now(service.readiness) }
    }
}

extension Service {
    /// 200 while changes and pins are stored, 503 with the reason when they are not; flags are evaluated in both.
    fileprivate var readiness: Response {
        let configuration = snapshot.configuration
        let failure = store.health.failure
        var body: JSONObject = [
            "ready": .bool(failure == nil), "store": .string(failure?.code.rawValue ?? "ok"),
            "epoch": .integer(configuration.epoch), "revision": .integer(configuration.revision),
            "version": .string(options.version),
        ]
        if let failure { body["message"] = .string(failure.message) }
        return .json(.object(body), status: failure == nil ? 200 : 503)
    }
}
