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
    /// Where whoever asks has seen the environment stand; nil when that does not matter.
    var expected: ExpectedRevision?
    /// What gates ask for beside the configuration.
    var facts = Facts()

    /// `evidence` is what there is when the command is judged.
    func applied(to configuration: Configuration, beside evidence: EvidenceLedger) throws -> AppliedCommand {
        var facts = facts
        facts.evidence = evidence
        return try configuration.applying(
            command, by: actor, reason: reason, expecting: expected, facts: facts, at: now)
    }
}

extension Service {
    /// Hands a change to the store and answers when it is durable, or says what would be and changes nothing.
    ///
    /// `answer` adds to `{epoch, revision, changed}` what the endpoint shows of the new configuration.
    func change(
        _ change: ChangeRequest, for request: borrowing Request,
        answer: @escaping @Sendable (Configuration) -> JSONObject
    ) -> Reply {
        perform(change, for: request) { answer($0.configuration) }
    }

    /// The same for an endpoint that shows what the change did.
    func perform(
        _ change: ChangeRequest, for request: borrowing Request,
        answer: @escaping @Sendable (AppliedCommand) -> JSONObject
    ) -> Reply {
        answerLater(to: change, for: request.park(), answer: answer)
        return .later
    }

    /// The same for a request that is parked already.
    func answerLater(
        to change: ChangeRequest, for parked: ParkedRequest, answer: @escaping @Sendable (AppliedCommand) -> JSONObject
    ) {
        if change.isDryRun { return dryRun(change, for: parked, answer: answer) }
        store.change(judging: { try change.applied(to: $0, beside: $1) }) { [self] outcome in
            parked.complete(with: response(to: outcome, showing: answer))
        }
    }

    /// The same for a change that may take long to judge: that is done beside the writer, which takes what came of it while
    /// nothing else has changed. Otherwise it is judged again, so that no stop and no journey waits for it.
    func answerLater(
        toLong change: ChangeRequest, for parked: ParkedRequest, attempts: Int = 5,
        answer: @escaping @Sendable (AppliedCommand) -> JSONObject
    ) {
        if change.isDryRun { return dryRun(change, for: parked, answer: answer) }
        let (before, evidence) = (snapshot.configuration, store.evidence)
        Task.detached(priority: .utility) { [self] in
            let began = ContinuousClock.now
            let judged: AppliedCommand
            do { judged = try change.applied(to: before, beside: evidence) } catch {
                return parked.complete(with: failure(error))
            }
            let isShort = ContinuousClock.now - began < Self.shortJudgement
            store.change(judging: { configuration, _ in
                guard (configuration.epoch, configuration.revision) == (before.epoch, before.revision) else {
                    throw Overtaken()
                }
                return judged
            }) { [self] outcome in
                guard case .rejected(let error) = outcome, error is Overtaken else {
                    return parked.complete(with: response(to: outcome, showing: answer))
                }
                if isShort { return answerLater(to: change, for: parked, answer: answer) }
                guard attempts > 1 else {
                    let refusal = StoreError(.overloaded, "Others changed something each time; apply it again.")
                    return parked.complete(with: failure(refusal))
                }
                answerLater(toLong: change, for: parked, attempts: attempts - 1, answer: answer)
            }
        }
    }

    /// What the writer may be held up by.
    private static let shortJudgement = Duration.milliseconds(20)
    /// Something was changed while a change was judged.
    private struct Overtaken: Error {}

    private func response(
        to outcome: StoreOutcome<AppliedCommand>, showing answer: @Sendable (AppliedCommand) -> JSONObject
    ) -> Response {
        response(to: outcome) { applied in
            .json(.object(Self.answer(to: applied, showing: answer)), status: applied.isCreation ? 201 : 200)
        }
    }

    /// What a change is answered with, beside what the endpoint shows.
    static func answer(to applied: AppliedCommand, showing: (AppliedCommand) -> JSONObject) -> JSONObject {
        var body = showing(applied)
        body["changed"] = .bool(applied.audit != nil)
        return applied.configuration.standing(body)
    }

    /// The answer to an error, which is told to whoever runs the service when the answer hides it.
    func failure(_ error: any Error) -> Response { Failures.response(for: error, reportingTo: options.report) }

    /// The answer to what became of a job.
    func response<Value>(
        to outcome: StoreOutcome<Value>, committed: (Value) throws -> Response
    ) -> Response {
        switch outcome {
        case .committed(let value):
            do { return try committed(value) } catch { return failure(error) }
        case .rejected(let error): return failure(error)
        case .unknown(let error):
            return Failures.response(
                for: ServiceError(
                    .outcomeUnknown, "It may or may not have been stored: \(error.message)",
                    details: ["cause": .string(error.code.rawValue)]))
        }
    }
}

extension Configuration {
    /// An answer with `epoch` and `revision`: what it shows is as of then.
    func standing(_ body: JSONObject) -> JSONObject {
        var whole: JSONObject = ["epoch": .integer(epoch), "revision": .integer(revision)]
        for (key, value) in body.entries { whole[key] = value }
        return whole
    }

    /// The same as an answer to a read.
    func reply(_ body: JSONObject) -> Reply { .now(.json(.object(standing(body)))) }
}

extension AppliedCommand {
    /// Whether the command made something that was not there before.
    ///
    /// A rotation changes one key and makes another, its successor.
    fileprivate var isCreation: Bool {
        audit.map { ($0.before.isNull && !$0.after.isNull) || $0.action == "key.rotate" } ?? false
    }
}
