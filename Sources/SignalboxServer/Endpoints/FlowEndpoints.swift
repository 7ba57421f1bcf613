import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract

extension API {
    /// `/v1/flows`
    mutating func addFlowEndpoints() {
        add(
            .get, "/v1/flows", .read, About("All flows").gives(Schema.standing.with(["flows": .list(of: .flow)])),
            use: listFlows)
        add(
            .post, "/v1/flows", .change,
            About("Creates a flow")
                .changes(
                    takes: ["key": .key, "owner": .string, "journeyLifetimeSeconds?": .integer], shows: ["flow": .flow],
                    creates: true
                ).fails(.flowExists, .invalidKey, .invalidLifetime),
            use: createFlow)
        add(
            .get, "/v1/flows/:key", .read,
            About("A flow with its routes").gives(.flowMembers.with(["routes": .list(of: .route)]).with(.standing))
                .fails(
                    .flowNotFound),
            use: showFlow)
        add(
            .patch, "/v1/flows/:key", .change,
            About("Edits a flow")
                .changes(takes: ["owner?": .string, "journeyLifetimeSeconds?": .integer], shows: ["flow": .flow])
                .fails(.flowNotFound, .invalidLifetime),
            use: editFlow)
    }
}

/// Gives 200 and all flows by key.
@Sendable private func listFlows(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let configuration = call.snapshot.configuration
    let flows = configuration.flows.values.sorted { $0.key < $1.key }
    return configuration.reply(["flows": .objects(flows.map(\.json))])
}

/// Gives 200 and the flow with its routes. Fails with 404 `flow_not_found`.
@Sendable private func showFlow(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let configuration = call.snapshot.configuration
    let key = request.parameter("key")
    var body = try configuration.flow(key).json
    body["routes"] = .array(configuration.routes(of: key).map { .object($0.json) })
    return configuration.reply(body)
}

/// Creates a flow. Its id, which salts every split in it, is minted here and never changes.
///
/// Takes `key`, `owner`, `journeyLifetimeSeconds`?. Gives 201, or 200 for a repeat. Fails with 409 `flow_exists`, 400
/// `invalid_key`, `invalid_lifetime`.
@Sendable private func createFlow(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["key", "owner", "journeyLifetimeSeconds"])
    var randomness = call.service.randomness
    let id = JourneyID(
        milliseconds: call.now, randomA: .random(in: 0...0xFFF, using: &randomness), randomB: randomness.next())
    let key = try body.members.requiredString("key")
    let flow = Flow(
        id: id.description, key: key, owner: try body.members.requiredString("owner"),
        journeyLifetimeSeconds: try body.members.optionalInteger("journeyLifetimeSeconds") ?? 86_400)
    return try call.service.change(body.request(.createFlow(flow), by: call), for: request) { $0.shown(flow: key) }
}

/// Takes `owner`?, `journeyLifetimeSeconds`?. Gives 200. Fails with 404 `flow_not_found`, 400 `invalid_lifetime`.
@Sendable private func editFlow(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["owner", "journeyLifetimeSeconds"])
    let key = request.parameter("key")
    let command = Command.editFlow(
        key: key, owner: try body.members.optionalString("owner"),
        journeyLifetimeSeconds: try body.members.optionalInteger("journeyLifetimeSeconds"))
    return try call.service.change(body.request(command, by: call), for: request) { $0.shown(flow: key) }
}

extension Configuration {
    /// `{"flow": …}`
    func shown(flow key: String) -> JSONObject {
        flows[key].map { ["flow": .object($0.json)] } ?? [:]
    }
}
