import FlagEvaluation
import HTTPServer
import Rollouts
import RouteContract

extension API {
    /// `/v1/evaluate`: what OFREP answers, for people who ask why
    mutating func addEvaluateEndpoints() {
        add(
            .post, "/v1/evaluate/:key", .read,
            About("Evaluates one flag or route, and explains the answer")
                .takes(["context?": Schema.anyObject.orNull]).takes(query: "explain", .boolean).gives(.evaluation)
                .fails(.flagNotFound).fails(.invalidContext),
            use: evaluate)
    }
}

extension Schema {
    fileprivate static let evaluation = Schema.named(
        "ExplainedEvaluation",
        [
            "key": .key, "kind": .words(["flag", "route"]), "value": .any, "variant": .string.orNull,
            "reason": .string, "errorCode": .string.orNull, "errorDetails": .string.orNull, "metadata": .anyObject,
            "bucketing?": .words(of: Bucketing.self), "build?": .string.orNull,
            "inBuild?": .list(of: .words(of: Renderer.self)), "choice?": .either([.named("Choice", choice), .null]),
            "exclusion?": exclusion,
            "epoch": .integer, "revision": .integer, "at": .time,
            "explanation?": [
                "value": .any, "steps": .list(of: .anyObject), "isCut": .boolean, "agrees": .boolean,
            ],
        ])
}

/// Evaluates one flag or route, and with `explain=true` in the query says how that came about.
///
/// Takes `{"context": {…}}`. Gives 200 also when the flag cannot be evaluated: `errorCode` says so. Fails with 404
/// `flag_not_found`, 400 `invalid_context`.
@Sendable private func evaluate(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try request.json(limits: .context)
    try body.refuseMembers(besides: ["context"])
    guard let attributes = (body.optional("context") ?? [:]).object else {
        throw ServiceError(.invalidContext, "\"context\" must be an object of attributes.")
    }
    let key = request.parameter("key")
    let snapshot = call.snapshot
    guard let index = snapshot.flags.index(ofKey: key) else {
        throw RolloutError(.flagNotFound, "There is no flag or route \"\(key)\".")
    }
    let now = call.now
    let isExplaining = try request.flag("explain") ?? false
    let parked = request.park()
    // An explanation takes its time, which a worker does not have.
    Task.detached(priority: .utility) {
        let answer = AdminEvaluation(
            snapshot: snapshot, index: index,
            context: EvaluationContext(targetingKey: nil, attributes: attributes), now: now,
            scratch: EvaluationScratch())
        parked.complete(with: .json(.object(answer.json(explaining: isExplaining))))
    }
    return .later
}

/// One evaluation with everything around it.
private struct AdminEvaluation {
    let snapshot: Snapshot
    let index: Int
    let context: EvaluationContext
    let now: Int64
    let scratch: EvaluationScratch

    func json(explaining: Bool) -> JSONObject {
        let flag = snapshot.flags[index]
        let outcome = snapshot.flags.outcome(at: index, for: context, at: now / 1_000, using: scratch)
        let variant = outcome.variant.map { flag.variants[$0] }
        var json: JSONObject = [
            "key": .string(flag.key), "kind": snapshot.routes[index] == nil ? "flag" : "route",
            "value": variant?.value ?? .null, "variant": .text(variant?.name),
            "reason": .string(outcome.reason.rawValue), "errorCode": .text(outcome.errorCode?.rawValue),
            "errorDetails": .text(snapshot.flags.errorDetails(at: index, outcome)),
            "metadata": .object(snapshot.flags.metadata(at: index)),
        ]
        if let route = snapshot.routes[index] {
            addChoice(of: route, to: &json)
        } else {
            json["bucketing"] = .text(snapshot.configuration.flags[flag.key]?.bucketing.rawValue)
        }
        json["epoch"] = .integer(snapshot.configuration.epoch)
        json["revision"] = .integer(snapshot.configuration.revision)
        json["at"] = .integer(now)
        if explaining {
            let explanation = snapshot.flags.explanation(at: index, for: context, at: now / 1_000)
            var shown = explanation.json
            // Two evaluators that disagree are a fault of ours, which whoever asks must not be kept from seeing.
            shown["agrees"] = .bool(explanation.outcome == outcome)
            json["explanation"] = .object(shown)
        }
        return json
    }

    /// What a journey would get, which the flag alone does not say.
    private func addChoice(of route: CompiledRoute, to json: inout JSONObject) {
        let build = context.json["build"]?.string.flatMap { BuildID($0) }
        let renderers = route.renderers(in: build, claimed: nil)
        json["build"] = .text(build?.text)
        json["inBuild"] = .strings(Renderer.allCases.filter { renderers.contains($0) }.map(\.rawValue))
        let answer = snapshot.answer(of: route, for: context, at: now, using: scratch)
        let choice = snapshot.choice(
            of: route, among: renderers, whenFlagGives: answer, for: context, at: now, using: scratch)
        // What OFREP answers: the flag alone does not know what the build has.
        if answer.errorCode == nil {
            json["value"] = .text(choice?.renderer.rawValue)
            json["variant"] = .text(choice?.renderer.rawValue)
            json["reason"] = .string(PreparedFlag.reason(of: choice, answer).rawValue)
        }
        json["choice"] = .members(
            choice.map { ["renderer": .string($0.renderer.rawValue), "reason": .string($0.reason.rawValue)] })
        let exclusion = snapshot.exclusion(of: route, for: context, using: scratch)
        json["exclusion"] = exclusion.map { .object($0.json) }
    }
}
