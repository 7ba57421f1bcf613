import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/healthz`, `/readyz`, `/openapi.json` and `/metrics`
    mutating func addOperationsEndpoints() {
        let service = self.service
        addOpen(.get, "/healthz", About("Whether the process answers").gives(["alive": .boolean])) { _ in
            .now(.json(["alive": true]))
        }
        addOpen(
            .get, "/readyz",
            About("Whether changes and pins are stored").gives(.readiness).gives(503, .readiness)
        ) { _ in .now(service.readiness) }
        addOpen(.get, "/openapi.json", About("This document").gives(.anyObject)) { _ in .now(service.openAPI) }
        add(
            .get, "/metrics", .observe, About("Figures in the Prometheus text format").gives(.string, as: .metrics)
        ) { _, call in
            .now(Response(status: 200, contentType: .metrics, body: call.service.metrics))
        }
    }
}

extension Schema {
    fileprivate static let readiness: Schema = [
        "ready": .boolean, "store": .string, "epoch": .integer, "revision": .integer, "version": .string,
        "message?": .string,
    ]
}

extension Service {
    /// 200 while changes and pins are stored, 503 with the reason when the last write failed; flags are evaluated in
    /// both. The sweep writes each minute, so that a node to which nobody writes notices that it can again.
    fileprivate var readiness: Response {
        let configuration = snapshot.configuration
        let health = store.health
        let failure = health.failure ?? health.lastWriteFailure
        var body: JSONObject = [
            "ready": .bool(failure == nil), "store": .string(failure?.code.rawValue ?? "ok"),
            "epoch": .integer(configuration.epoch), "revision": .integer(configuration.revision),
            "version": .string(options.version),
        ]
        if let failure { body["message"] = .string(failure.message) }
        return .json(.object(body), status: failure == nil ? 200 : 503)
    }
}
