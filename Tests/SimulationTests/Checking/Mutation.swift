import FlagEvaluation
import Rollouts
import Storage

@testable import SignalboxServer

/// A promise broken on purpose, to see that the checker notices.
enum Mutation: String, CaseIterable {
    // On the disk.
    case acknowledgesBeforeSync
    case forgetsPinsAtReopening
    case forgetsOutcomesAtReopening
    case forgetsRollbacksAtReopening
    case skipsARevision
    case goesBackARevision
    case dropsAnAuditEntry
    case rewritesAnAuditEntry
    case sweepsWithoutCaution
    // Between the service and those who ask.
    case servesOlderConfiguration
    case switchesRenderers
    case ignoresManifests
    case ignoresRollbacks
    case claimsToHavePinned
    case acknowledgesWhatItRefused
    case tellsStrangersOfJourneys
    case lateDryRuns
    case keepsRevokedKeys
    case takesAnyTime
    case changesOutcomes

    /// What is done to a database before it is opened again.
    fileprivate var sql: [String] {
        switch self {
        case .forgetsPinsAtReopening:
            ["DELETE FROM journey_segments WHERE journey = (SELECT max(journey) FROM journey_segments)"]
        case .forgetsOutcomesAtReopening: ["DELETE FROM journey_outcomes"]
        case .forgetsRollbacksAtReopening:
            [
                """
                UPDATE routes SET status = 'active', document = json_set(document, '$.status', 'active', '$.step', 1,
                    '$.stage', 'partialRollout') WHERE status = 'rolledBack'
                """
            ]
        case .skipsARevision: ["UPDATE environments SET revision = revision + 1"]
        case .goesBackARevision: ["UPDATE environments SET revision = max(0, revision - 1)"]
        case .dropsAnAuditEntry:
            [
                "DROP TRIGGER IF EXISTS audit_entries_are_not_deleted",
                "DELETE FROM audit WHERE sequence = (SELECT max(sequence) FROM audit)",
            ]
        case .rewritesAnAuditEntry:
            [
                "DROP TRIGGER IF EXISTS audit_entries_are_not_rewritten",
                "UPDATE audit SET actor = 'nobody' WHERE sequence = (SELECT max(sequence) FROM audit)",
            ]
        default: []
        }
    }
}

/// A request before it is sent.
struct Request {
    var purpose: Purpose
    var target: String
    var body: JSONValue?
    var key: String
}

extension World {
    /// Does to the disk what the mutation does at every reopening.
    func applyToDisk(_ disk: SimulatedDisk) {
        guard let statements = mutation?.sql, !statements.isEmpty else { return }
        SimulatedFileSystem.mount(disk, at: path.path)
        guard let connection = try? Connection(path: path.path, for: .writing, in: SimulatedFileSystem.name) else {
            return
        }
        for statement in statements { try? connection.run(statement) }
    }

    /// What is sent in place of a request.
    func altered(_ request: Request) -> Request {
        var request = request
        switch (mutation, request.purpose) {
        case (.lateDryRuns, .change(_, .dryRun)):
            var body = request.body?.object ?? [:]
            body["dryRun"] = nil
            request.body = .object(body)
        case (.keepsRevokedKeys, .openWithRevokedKey): request.key = adminKey
        case (.takesAnyTime, .start(let start)):
            // A service without a window would pin this: here, by another id.
            if abs(start.idTime - clock.now) > Sample.day {
                var body = start.json.object ?? [:]
                body["id"] = .string(newStart(at: clock.now).id)
                request.body = .object(body)
            }
        default: break
        }
        return request
    }

    /// What is received in place of an answer.
    func altered(_ answer: (status: Int, json: JSONValue), to purpose: Purpose) -> (status: Int, json: JSONValue) {
        switch (mutation, purpose) {
        case (.servesOlderConfiguration, .showItem(let subject)):
            let older = cachedItems[subject]
            cachedItems[subject] = answer
            return older ?? answer
        case (.switchesRenderers, .start) where answer.status == 200:
            return (200, answer.json.withEveryChoice("migrated"))
        case (.ignoresManifests, .start(let start)) where start.build == "app:720" && answer.status == 201,
            (.ignoresRollbacks, .start(let start)) where start.build == "app:730" && answer.status == 201:
            return (201, answer.json.withEveryChoice("migrated"))
        case (.claimsToHavePinned, .start) where answer.json["pinned"] == false:
            return (200, answer.json.with("pinned", true))
        case (.acknowledgesWhatItRefused, .change(_, .other)) where answer.status >= 503:
            return (
                200,
                ["epoch": 1, "revision": .integer(process.service.snapshot.configuration.revision), "changed": true]
            )
        case (.tellsStrangersOfJourneys, .start(let start)) where answer.status == 409:
            return (409, answer.json.with("details", ["unit": .string(start.unit)]))
        case (.changesOutcomes, .showJourney) where answer.json["outcome"]?.isNull == false:
            return (200, answer.json.with("outcome", ["status": "interrupted"]))
        default: return answer
        }
    }
}

extension JSONValue {
    fileprivate func with(_ member: String, _ value: JSONValue) -> JSONValue {
        var object = object ?? [:]
        object[member] = value
        return .object(object)
    }

    fileprivate func withEveryChoice(_ renderer: String) -> JSONValue {
        let choices = (self["choices"]?.object ?? [:]).entries.map { route, choice in
            (route, choice.with("renderer", .string(renderer)))
        }
        return with("choices", .object(JSONObject(choices)))
    }
}
