import FlagEvaluation
import HTTPServer
import Rollouts
import Storage

/// A request for a change, taken apart.
struct ChangeRequest: Sendable {
    let command: Command
    let actor: Actor
    let reason: String
    let now: Int64
    var isDryRun = false
}

extension Service {
    /// Hands a change to the store and answers when it is durable, or says what would be and changes nothing.
    ///
    /// `answer` adds to `{epoch, revision, changed}` what the endpoint shows of the new configuration.
    func change(
        _ change: ChangeRequest, for request: borrowing Request,
        answer: @escaping @Sendable (Configuration) -> JSONObject
    ) -> Reply {
        let parked = request.park()
        if change.isDryRun {
            dryRun(change, for: parked, answer: answer)
            return .later
        }
        store.change({ configuration in
            try configuration.applying(change.command, by: change.actor, reason: change.reason, at: change.now)
        }) { outcome in
            parked.complete(
                with: Self.response(to: outcome) { applied in
                    .json(
                        .object(Self.answer(to: applied, showing: answer)),
                        status: applied.isCreation ? 201 : 200)
                })
        }
        return .later
    }

    /// What a change is answered with, beside what the endpoint shows.
    static func answer(to applied: AppliedCommand, showing: (Configuration) -> JSONObject) -> JSONObject {
        var body: JSONObject = [
            "epoch": .integer(applied.configuration.epoch), "revision": .integer(applied.configuration.revision),
            "changed": .bool(applied.audit != nil),
        ]
        for (key, value) in showing(applied.configuration).entries { body[key] = value }
        return body
    }

    /// The answer to what became of a job.
    static func response<Value>(
        to outcome: StoreOutcome<Value>, committed: (Value) throws -> Response
    ) -> Response {
        switch outcome {
        case .committed(let value):
            do { return try committed(value) } catch { return Failures.response(for: error) }
        case .rejected(let error): return Failures.response(for: error)
        case .unknown(let error):
            return Failures.response(
                for: ServiceError(
                    .outcomeUnknown, "It may or may not have been stored: \(error.message)",
                    details: ["cause": .string(error.code.rawValue)]))
        }
    }
}

extension AppliedCommand {
    /// Whether the command made something that was not there before.
    fileprivate var isCreation: Bool { audit.map { $0.before.isNull && !$0.after.isNull } ?? false }
}
