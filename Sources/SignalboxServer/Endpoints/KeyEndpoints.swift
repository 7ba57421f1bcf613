import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

extension API {
    /// `/v1/keys`
    mutating func addKeyEndpoints() {
        add(
            .get, "/v1/keys", .readAudit,
            About("All keys, without their secrets").gives(["keys": .list(of: .listedKey)]),
            use: listKeys)
        add(
            .post, "/v1/keys", .administer,
            About("Makes a key and shows its secret this once")
                .changes(
                    takes: [
                        "kind": .words(of: AccessKey.Kind.self), "role?": .words(of: AccessKey.Role.self),
                        "holder": .string, "expiresAt?": .time,
                    ], shows: ["key?": .accessKey, "secret?": .string], creates: true
                ).fails(.keyExists),
            use: createKey)
        add(
            .post, "/v1/keys/:id/revoke", .administer,
            About("Revokes a key").stops().changes(shows: ["key": .accessKey]).fails(.keyNotFound, .lastAdminKey),
            use: revokeKey)
        add(
            .post, "/v1/keys/:id/rotate", .administer,
            About("Makes a key's successor, and lets the old one live for a while")
                .changes(
                    takes: ["overlapSeconds?": .integer, "expiresAt?": .time],
                    shows: ["key?": .accessKey, "secret?": .string, "replaced?": .accessKey], creates: true
                ).fails(.keyNotFound, .keyEnded),
            use: rotateKey)
    }
}

/// Gives 200 and all keys, oldest first, without their secrets, with when they were last used to five minutes.
@Sendable private func listKeys(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let keys = call.snapshot.configuration.keys.values.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    let uses = call.service.keyUse(in: call.snapshot)
    return .now(
        .json([
            "keys": .objects(
                keys.map { key in
                    var json = key.publicJSON
                    json["lastUsedAt"] = .number(uses[key.id])
                    return json
                })
        ]))
}

/// Takes `kind`, `role` (of an admin key), `holder`, `expiresAt`?. Gives 201 and the secret, which is shown this once.
@Sendable private func createKey(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["kind", "role", "holder", "expiresAt"])
    let members = body.members
    guard let kind = AccessKey.Kind(rawValue: try members.requiredString("kind")) else {
        throw RolloutError.invalidField("/kind", "app, server or admin")
    }
    let role = try members.optionalString("role").map { text in
        guard let role = AccessKey.Role(rawValue: text) else {
            throw RolloutError.invalidField("/role", "viewer, auditor, editor, approver or admin")
        }
        return role
    }
    let (key, secret) = AccessKey.minted(
        kind: kind, role: role, holder: try members.requiredString("holder"), at: call.now,
        expiresAt: try members.optionalInteger("expiresAt"), using: call.service.randomness)
    let change = try body.request(.createKey(key), by: call)
    return call.service.change(change, for: request) { configuration in
        guard let key = configuration.keys[key.id] else { return [:] }
        return ["key": .object(key.publicJSON), "secret": .string(secret)]
    }
}

/// Makes a successor of the same kind, role and holder, and lets the old key live for the overlap.
///
/// Takes `overlapSeconds`? (0 to 30 days, default one day) and `expiresAt`? of the successor. Gives 201, the successor as
/// `key` with its secret, which is shown this once, and the old key as `replaced`. Fails with 404 `key_not_found`, 409
/// `key_ended`.
@Sendable private func rotateKey(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: ["overlapSeconds", "expiresAt"])
    let id = request.parameter("id")
    guard let old = call.snapshot.configuration.keys[id] else {
        throw RolloutError(.keyNotFound, "There is no key with the id \"\(id)\".")
    }
    let (milliseconds, isTooLarge) = (try body.members.optionalInteger("overlapSeconds") ?? 86_400)
        .multipliedReportingOverflow(by: 1_000)
    let (key, secret) = AccessKey.minted(
        kind: old.kind, role: old.role, holder: old.holder, at: call.now,
        expiresAt: try body.members.optionalInteger("expiresAt"), using: call.service.randomness)
    let command = Command.rotateKey(
        id: id, successor: key, overlapMilliseconds: isTooLarge ? -1 : milliseconds)
    return try call.service.change(body.request(command, by: call), for: request) { configuration in
        guard let key = configuration.keys[key.id], let old = configuration.keys[id] else { return [:] }
        return [
            "key": .object(key.publicJSON), "secret": .string(secret), "replaced": .object(old.publicJSON),
        ]
    }
}

/// Gives 200. Fails with 404 `key_not_found`, 409 `last_admin_key`.
@Sendable private func revokeKey(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try ChangeBody(request)
    try body.refuseMembers(besides: [])
    let id = request.parameter("id")
    return try call.service.change(body.request(.revokeKey(id: id), by: call), for: request) { configuration in
        configuration.keys[id].map { ["key": .object($0.publicJSON)] } ?? [:]
    }
}

extension AccessKey {
    /// A new key and its text, which is kept nowhere.
    static func minted(
        kind: Kind, role: Role?, holder: String, at now: Int64, expiresAt: Int64? = nil,
        using randomness: InjectedRandomness
    ) -> (key: AccessKey, secret: String) {
        var randomness = randomness
        let (id, text) = KeySecret.mint(kind: kind, using: &randomness)
        var sha = SHA256()
        let key = AccessKey(
            id: id, kind: kind, role: role, holder: holder, hash: sha.digest(of: text).hexadecimal, createdAt: now,
            expiresAt: expiresAt)
        return (key, text)
    }
}
