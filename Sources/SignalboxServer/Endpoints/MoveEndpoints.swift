import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract
import Storage

extension API {
    /// The verbs, for a route, a flow and, where they narrow, for everything
    mutating func addMoveEndpoints() {
        for verb in VerbBody.allCases {
            let name = verb.rawValue
            add(.post, "/v1/routes/:key/\(name)", .change, verb.about("a route", .routeNotFound, ["route": .route])) {
                request, call in
                let key = request.parameter("key")
                return try move(verb, .route(key), request, call) { $0.shown(route: key) }
            }
            add(
                .post, "/v1/flows/:key/\(name)", .change,
                verb.about(
                    "a flow", .flowNotFound, ["flow": .flow, "routes": .list(of: .route), "moved": .list(of: .key)])
            ) { request, call in
                let key = request.parameter("key")
                return try move(verb, .flow(key), request, call) { configuration in
                    var shown = configuration.shown(flow: key)
                    shown["routes"] = .array(configuration.routes(of: key).map { .object($0.json) })
                    return shown
                }
            }
        }
        for verb in [VerbBody.hold, .rollback] {
            add(
                .post, "/v1/\(verb.rawValue)", .change,
                verb.about("everything", .routeNotFound, ["routes": .list(of: .route), "moved": .list(of: .key)])
            ) { request, call in
                try move(verb, .all, request, call) { configuration in
                    let routes = configuration.routes.values.sorted { $0.key < $1.key }
                    return ["routes": .array(routes.map { .object($0.json) })]
                }
            }
        }
    }
}

/// The verbs as paths name them, and what their bodies carry.
private enum VerbBody: String, CaseIterable {
    case advance, retreat, hold, resume, rollback, approve, island

    var body: Schema {
        switch self {
        case .advance: ["force?": .boolean]
        case .resume: ["cause?": .string, "step?": .integer(1...1_000), "scope?": .string]
        case .island: ["owner": .string, "reviewDate": .string]
        case .rollback: Schema.scope.with(["level?": .words(of: RollbackLevel.self)])
        case .retreat, .hold, .approve: [:]
        }
    }

    func about(_ what: String, _ missing: RolloutError.Code, _ shows: Schema) -> About {
        let more: Schema = self == .rollback ? ["publishedAfterMilliseconds?": .integer] : [:]
        let about = About("\(rawValue): \(what)").changes(takes: body, shows: shows.with(more), tries: true)
        return (self == .rollback || self == .hold ? about.stops() : about).fails(missing)
            .fails(.gateNotMet, .illegalMove, .causeRequired, .stepNotHealthy, .planShrinks, .routeLocked)
            .fails(.invalidScope, .scopeMatchesNothing, .tooManyScopes, .scopeNotFound)
    }

    func verb(from members: JSONObject) throws -> Verb {
        switch self {
        case .advance: return .advance(isForced: try members.optionalBool("force") ?? false)
        case .retreat: return .retreat
        case .hold: return .hold
        case .approve: return .approve
        case .resume:
            let step = try members.optionalInteger("step").map { value in
                guard let step = Int(exactly: value), (1...1_000).contains(step) else {
                    throw RolloutError.invalidField("/step", "the number of a step, from 1")
                }
                return step
            }
            if let scope = try members.optionalString("scope") {
                guard step == nil else { throw RolloutError.invalidField("/step", "left out when a scope is lifted") }
                return .lift(scope: scope)
            }
            return .resume(cause: try members.optionalString("cause"), step: step)
        case .rollback:
            let scope = try RollbackScope(members: members)
            return .rollBack(level: try members.optionalWord("level"), scope: scope == RollbackScope() ? nil : scope)
        case .island:
            return .island(
                owner: try members.requiredString("owner"), reviewDate: try members.requiredString("reviewDate"))
        }
    }
}

/// Moves a route, a flow or everything.
///
/// Gives 200 and what now stands. Fails with 404 `route_not_found` or `flow_not_found`, 409 `gate_not_met` (with every
/// gate and what would make it pass), `illegal_move` (with the verbs that are legal now), `cause_required`,
/// `step_not_healthy`, 403 `not_allowed`.
private func move(
    _ verb: VerbBody, _ target: Target, _ request: borrowing Request, _ call: borrowing Call,
    showing: @escaping @Sendable (Configuration) -> JSONObject
) throws -> Reply {
    let body = try ChangeBody(request, mayBeDryRun: true)
    try body.refuseMembers(besides: Set(verb.body.memberNames))
    let command = Command.move(try verb.verb(from: body.members), target)
    var asked = try body.request(command, by: call)
    asked.facts.units = call.service.watch.units
    let change = asked
    let showing = { @Sendable (applied: AppliedCommand) in
        var shown = showing(applied.configuration)
        if case .route = target { return shown }
        shown["moved"] = .strings(applied.rows.compactMap(\.movedRoute))
        return shown
    }
    if verb == .rollback, !change.isDryRun {
        let service = call.service
        // Answered after the new snapshot was published, and before anyone can know of it.
        return service.perform(change, for: request) { applied in
            var shown = showing(applied)
            if applied.audit != nil { shown["publishedAfterMilliseconds"] = .integer(service.now() - change.now) }
            return shown
        }
    }
    guard verb == .advance, call.snapshot.configuration.countsJourneys(for: target) else {
        return call.service.perform(change, for: request, answer: showing)
    }
    let service = call.service
    let parked = request.park()
    service.countFacts(at: call.now) { outcome in
        guard let facts = outcome.value else {
            return parked.complete(with: service.response(to: outcome) { _ in Response(status: 200) })
        }
        var change = change
        change.facts = facts
        service.answerLater(to: change, for: parked, answer: showing)
    }
    return .later
}

extension ConfigurationRow {
    /// The key of a route that the change stores.
    fileprivate var movedRoute: String? { if case .route(let route) = self { route.key } else { nil } }
}

extension Configuration {
    /// Whether a gate asks for journeys: a route would delete legacy next.
    fileprivate func countsJourneys(for target: Target) -> Bool {
        let routes: [RouteRollout] =
            switch target {
            case .route(let key): self.routes[key].map { [$0] } ?? []
            case .flow(let key): self.routes(of: key)
            case .all: []
            }
        return routes.contains { $0.nextMove == .stage(.oldDeleted) }
    }
}
