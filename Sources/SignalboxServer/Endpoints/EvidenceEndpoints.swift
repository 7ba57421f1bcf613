import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/v1/evidence` and `/v1/routes/{key}/evidence`
    mutating func addEvidenceEndpoints() {
        add(
            .post, "/v1/routes/:key/evidence", .change,
            About("Takes an artefact, judges it and stores what it shows")
                .takes([
                    "kind": .words(of: EvidenceItem.Kind.self), "build": .string, "producer?": .string.orNull,
                    "contract?": .string.orNull, "expiresAt?": .time.orNull, "artefact": .string, "reason": .reason,
                ])
                .gives(201, ["evidence": .evidence]).gives(["evidence": .evidence])
                .fails(.reasonRequired, .routeNotFound, .buildNotFound, .artefactInvalid, .artefactTooLarge)
                .fails(.contractMismatch, .evidenceFull).fails(.outcomeUnknown).usesStore(),
            bodyLimit: bodyLimit, use: pushEvidence)
        add(
            .get, "/v1/evidence", .read,
            About("Evidence, the newest first, what has expired included").takes(query: "route", .key)
                .takes(query: "kind", .words(of: EvidenceItem.Kind.self)).takes(query: "before", .string)
                .takes(query: "limit", .integer(1...Int64(EvidenceQuery.mostItems)))
                .gives(["evidence": .list(of: .evidence)]).usesStore(),
            use: listEvidence)
        add(
            .get, "/v1/evidence/:id", .read,
            About("One item, with its artefact when asked for").takes(query: "artefact", .words(["true", "false"]))
                .gives(["evidence": .evidence, "artefact?": .string])
                .fails(.evidenceNotFound, .artefactGone).usesStore(),
            use: showEvidence)
    }
}

/// Bytes of a body: an artefact of 1 MB in which every character is escaped.
private let bodyLimit = 7 << 20
private let bodyLimits = JSONLimits(depth: 4, keys: 100, stringBytes: 4 << 20)

extension Schema {
    fileprivate static let evidence = Schema.named(
        "Evidence",
        [
            "id": .string, "kind": .words(of: EvidenceItem.Kind.self), "route": .key, "contract": .string,
            "build": .string, "producer": .string, "artefact": .string, "size": .integer,
            "finding": Schema.named(
                "Finding",
                [
                    "verdict": .words(of: EvidenceItem.Verdict.self), "reasons": .list(of: .string),
                    "coverage?": .list(of: [
                        "scenario": .string, "textSize": .words(of: EvidenceFinding.Coverage.TextSize.self),
                        "dimensions": .list(of: .words(of: EvidenceFinding.Coverage.Dimension.self)),
                        "verdict": .words(of: EvidenceItem.Verdict.self),
                    ]),
                    "deviceTier?": .words(of: EvidenceFinding.DeviceTier.self), "releases?": .list(of: .string),
                    "commit?": .string, "entryPoints?": .list(of: .entryPoint),
                ]),
            "createdAt": .time, "expiresAt": .time, "holds": .boolean,
        ])
}

/// Takes `kind`, `build`, `artefact` (the text of the file), `producer`?, `contract`? (the hash that it is of) and
/// `expiresAt`?. Gives 201, or 200 when the same is there already. Fails with 404 `route_not_found`, `build_not_found`, 400
/// `artefact_invalid`, `invalid_field`, 413 `artefact_too_large`, 409 `contract_mismatch`, `evidence_full`.
@Sendable private func pushEvidence(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let members = try request.json(limits: bodyLimits)
    try members.refuseMembers(besides: [
        "kind", "build", "producer", "contract", "expiresAt", "artefact", "reason",
    ])
    guard let build = BuildID(try members.requiredString("build")) else {
        throw RolloutError.invalidField("/build", "an app's key, a colon and a number")
    }
    let artefact = try members.requiredString("artefact")
    let pushed = PushedArtefact(
        route: request.parameter("key"), kind: try members.requiredWord("kind"), build: build,
        producer: try members.optionalString("producer") ?? call.principal.actor.name,
        contract: try members.optionalString("contract"), expiresAt: try members.optionalInteger("expiresAt"),
        artefact: artefact, actor: call.principal.actor, reason: try members.optionalString("reason") ?? "",
        now: call.now)
    call.service.judge(pushed, for: request.park())
    return .later
}

/// Takes from the query `route`, `kind`, `before` (an id: the last of the page before) and `limit` (1 to 500, default
/// 100). Gives 200. Fails with 400 `invalid_query`.
@Sendable private func listEvidence(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    var query = EvidenceQuery(route: request.query("route"), before: request.query("before"))
    if let text = request.query("kind") {
        guard let kind = EvidenceItem.Kind(rawValue: text) else {
            throw ServiceError(.invalidQuery, "\"kind\" must be a kind of evidence.")
        }
        query.kind = kind
    }
    if let limit = try request.number("limit", 1...Int64(EvidenceQuery.mostItems)) { query.limit = Int(limit) }
    let (service, now) = (call.service, call.now)
    let parked = request.park()
    service.store.evidence(query) { outcome in
        parked.complete(
            with: service.response(to: outcome) { items in
                .json(["evidence": .objects(items.map { $0.shown(at: now) })])
            })
    }
    return .later
}

/// Takes `artefact=true` from the query for the bytes. Gives 200. Fails with 404 `evidence_not_found`, 410 `artefact_gone`.
@Sendable private func showEvidence(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let (id, wantsArtefact) = (request.parameter("id"), try request.flag("artefact") ?? false)
    let (service, now) = (call.service, call.now)
    let parked = request.park()
    service.store.evidence(id, withArtefact: wantsArtefact) { outcome in
        parked.complete(
            with: service.response(to: outcome) { found in
                guard let found else { throw RolloutError(.evidenceNotFound, "There is no evidence \"\(id)\".") }
                var body: JSONObject = ["evidence": .object(found.item.shown(at: now))]
                if wantsArtefact {
                    guard let bytes = found.artefact else {
                        throw RolloutError(
                            .artefactGone, "Its bytes were let go after it had expired; their SHA-256 is known.")
                    }
                    body["artefact"] = .string(String(decoding: bytes, as: UTF8.self))
                }
                return .json(.object(body))
            })
    }
    return .later
}
