import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension API {
    /// `/v1/backup` and `/v1/doctor`
    mutating func addBackupEndpoints() {
        let anchor: Schema = [
            "environment": .string, "epoch": .integer, "sequence": .integer, "hash": .string, "pins": .integer,
            "writtenAt": .integer,
        ]
        add(
            .post, "/v1/backup", .administer,
            About("Copies the database while it is served").takes(["name?": .string])
                .gives(201, ["path": .string, "bytes": .integer, "revision": .integer, "anchor": anchor]).usesStore(),
            use: makeBackup)
        let check: Schema = ["name": .string, "verdict": .string, "found": .string, "remedy": .string.orNull]
        add(
            .get, "/v1/doctor", .readAudit,
            About("Looks for what is wrong, and says what to do")
                .gives(["verdict": .string, "checks": .list(of: check)]).usesStore(),
            use: examine)
    }
}

/// Takes `name`?, a plain file name. Gives 201 and what was copied, once the copy is on disk. Fails with 400
/// `invalid_field`, 409 `store_exists` when there is one of that name, 503 `store_busy` when one is being made.
@Sendable private func makeBackup(_ request: borrowing Request, _ call: borrowing Call) throws -> Reply {
    let body = try request.json()
    try body.refuseMembers(besides: ["name"])
    let name = try body.optionalString("name") ?? "signalbox-\(call.now).db"
    guard isPlainName(name) else {
        throw RolloutError.invalidField("/name", "a file name of at most 100 letters, digits, '.', '_' and '-'")
    }
    let folder = call.service.dataFolder + "/backups"
    // The folder may be there; that it cannot be made shows when the file is opened.
    mkdir(folder, 0o700)
    let parked = request.park()
    let service = call.service
    service.store.makeBackup(at: folder + "/" + name) { outcome in
        parked.complete(
            with: service.response(to: outcome) { backup in
                .json(
                    [
                        "path": .string(backup.path), "bytes": .integer(backup.bytes),
                        "revision": .integer(backup.revision), "anchor": .object(backup.anchor.json),
                    ], status: 201)
            })
    }
    return .later
}

/// Gives 200 and `{"verdict", "checks": [{"name", "verdict", "found", "remedy"}]}`, whatever was found.
@Sendable private func examine(_ request: borrowing Request, _ call: borrowing Call) -> Reply {
    let parked = request.park()
    let service = call.service
    service.store.verifyAuditAndAnchor { outcome in
        parked.complete(with: .json(service.findings(audit: outcome).json))
    }
    return .later
}

private func isPlainName(_ name: String) -> Bool {
    (1...100).contains(name.utf8.count) && !name.hasPrefix(".") && !name.hasSuffix(".part")
        && name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F].contains(byte)
        }
}

extension Service {
    /// What a service can say of itself while it serves.
    fileprivate func findings(audit: StoreOutcome<AuditVerdict>) -> [Finding] {
        let health = store.health
        let state: Finding
        if let failure = health.failure {
            state = Finding("store", .fault, "\(failure.code.rawValue): nothing is stored", remedy: failure.message)
        } else {
            state = Finding(
                "store", .ok, "writes; \(health.waitingWrites) writes and \(health.waitingReads) reads wait")
        }
        let chain: Finding
        switch audit {
        case .committed(let verdict):
            chain =
                if let fault = verdict.fault {
                    Finding("audit", .fault, fault, remedy: "Keep the files, then restore a backup.")
                } else {
                    Finding("audit", .ok, "\(verdict.entries) entries, unbroken, as anchored")
                }
        case .rejected(let error): chain = Finding("audit", .fault, "\(error)", remedy: "Ask again.")
        case .unknown(let error): chain = Finding("audit", .fault, error.message, remedy: "Ask again.")
        }
        let damaged = store.damagedEvidence
        let evidence =
            damaged == 0
            ? Finding("evidence", .ok, "every item that counted at the start was as stored")
            : Finding(
                "evidence", .fault, "\(damaged) items were damaged at the start and do not count",
                remedy: "Keep the files, then restore a backup, or push that evidence again.")
        let version = Finding("version", .ok, options.version)
        return [state, chain, evidence] + HostExamination(besides: store.path).findings()
            + [Finding.ofClock(now: now(), newest: store.newestTime()), version]
    }

    /// The folder of the database.
    fileprivate var dataFolder: String { store.folder }
}

extension [Finding] {
    /// As `/v1/doctor` and `signalbox doctor --json` show it.
    package var json: JSONValue {
        let checks = map { finding -> JSONValue in
            [
                "name": .string(finding.name), "verdict": .string(finding.verdict.rawValue),
                "found": .string(finding.found), "remedy": .string(finding.remedy),
            ]
        }
        return ["verdict": .string(verdict.rawValue), "checks": .array(checks)]
    }
}
