import FlagEvaluation
import HTTPServer
import RouteContract

/// The answers that OFREP can give for one flag or route, written once a revision as far as they are known then.
///
/// Source: OpenFeature Remote Evaluation Protocol 0.3.0. `variant` is always sent, and empty when there is none: the
/// official Python client raises without it.
final class PreparedFlag: Sendable {
    /// When nothing was targeted: one answer, for the reason follows from the flag.
    private let standard: [UInt8]
    /// When the rule fails.
    private let failure: [UInt8]
    /// When the rule names a variant, in the order of the variants. None for a route.
    private let matches: [[UInt8]]
    private let route: RouteText?
    fileprivate let writer: AnswerWriter

    init(_ flags: FlagSet, at index: Int, isRoute: Bool) {
        let flag = flags[index]
        let writer = AnswerWriter(key: flag.key, metadata: flags.metadata(at: index))
        self.writer = writer
        let variant = flag.defaultVariant.map { flag.variants[$0] }
        let given = flag.isEnabled ? variant : nil
        let reason: Reason =
            switch (flag.isEnabled, given == nil || flag.targeting != nil) {
            case (false, _): .disabled
            case (true, true): .default
            case (true, false): .static
            }
        standard = writer.success(value: given?.value, variant: given?.name, reason: reason)
        let fault = flags.fault(at: index)
        failure = AnswerWriter.failureBody(
            key: flag.key, code: (fault == nil ? EvaluationErrorCode.general : .parseError).rawValue,
            details: fault?.message ?? flags.errorDetails(at: index, .failed(.general)) ?? "")
        let isRule = flag.targeting != nil && flag.isEnabled
        matches =
            isRule && !isRoute
            ? flag.variants.map {
                writer.success(value: $0.value, variant: $0.name, reason: .targetingMatch)
            } : []
        route = isRoute ? RouteText(writer) : nil
    }

    /// The most bytes that the answer takes unless it is a failure.
    var mostBytes: Int {
        (route?.mostBytes ?? 0) + matches.reduce(standard.count) { max($0, $1.count) }
    }

    /// The answer for an ordinary flag.
    func body(for outcome: EvaluationOutcome) -> [UInt8] {
        if outcome.errorCode != nil { return failure }
        if outcome.reason == .targetingMatch, let variant = outcome.variant, variant < matches.count {
            return matches[variant]
        }
        return standard
    }

    /// Appends the answer for a route: the choice, and in the metadata what decided it.
    func append(_ choice: Choice?, whenFlagGives answer: RouteAnswer, to body: inout [UInt8]) {
        guard answer.errorCode == nil else { return body.append(contentsOf: failure) }
        route?.append(choice, for: Self.reason(of: choice, answer), to: &body)
    }

    static func reason(of choice: Choice?, _ answer: RouteAnswer) -> Reason {
        guard let choice else { return .default }
        return switch choice.reason {
        case .stage, .cohort, .share, .holdout: answer.reason
        case .rolledBack, .island: .static
        default: .targetingMatch
        }
    }
}

extension PreparedFlag {
    /// The answer for a route when the context names a journey that has not pinned it; the metadata says so.
    func body(
        for choice: Choice?, whenFlagGives answer: RouteAnswer, unpinnedIn journey: String, revision: Int64
    ) -> [UInt8] {
        guard answer.errorCode == nil else { return failure }
        var metadata = writer.metadata
        metadata.note(journey, isPinned: false, revision: revision)
        metadata["choice"] = .string(choice?.reason.rawValue ?? "notInBuild")
        let writer = AnswerWriter(key: writer.key, metadata: metadata)
        guard let choice else { return writer.success(value: nil, variant: nil, reason: .default) }
        let name = choice.renderer.rawValue
        return writer.success(value: .string(name), variant: name, reason: Self.reason(of: choice, answer))
    }

    /// The answer for a route that the journey has pinned: the choice and its reason of then.
    func body(pinned choice: Choice, to pin: AskedPin) -> [UInt8] {
        var metadata = writer.metadata
        metadata["choice"] = .string(choice.reason.rawValue)
        metadata.note(pin.journey ?? "", isPinned: true, revision: pin.revision ?? 0)
        if pin.ends { metadata["ended"] = .string(OutcomeStatus.interrupted.rawValue) }
        let isFixed = [.stage, .rolledBack, .island].contains(choice.reason)
        let name = choice.renderer.rawValue
        return AnswerWriter(key: writer.key, metadata: metadata).success(
            value: .string(name), variant: name, reason: isFixed ? .static : .targetingMatch)
    }
}

extension JSONObject {
    /// `{"pinned", "journey", "revision"}`
    fileprivate mutating func note(_ journey: String, isPinned: Bool, revision: Int64) {
        self["pinned"] = .bool(isPinned)
        self["journey"] = .string(journey)
        self["revision"] = .integer(revision)
    }
}

/// Writes single answers of OFREP.
struct AnswerWriter {
    let key: String
    let metadata: JSONObject

    /// Without a value the application's own default applies.
    func success(value: JSONValue?, variant: String?, reason: Reason) -> [UInt8] {
        var body: JSONObject = ["key": .string(key)]
        if let value { body["value"] = value }
        body["variant"] = .string(variant ?? "")
        body["reason"] = .string(reason.rawValue)
        body["metadata"] = .object(metadata)
        var bytes: [UInt8] = []
        JSONValue.object(body).write(to: &bytes)
        return bytes
    }

    /// A failure that is answered alone.
    static func failure(key: String?, code: String, details: String, status: Int) -> Response {
        Response(status: status, body: failureBody(key: key, code: code, details: details))
    }

    static func failureBody(key: String?, code: String, details: String) -> [UInt8] {
        var body: JSONObject = key.map { ["key": .string($0)] } ?? [:]
        body["errorCode"] = .string(code)
        body["errorDetails"] = .string(details)
        var bytes: [UInt8] = []
        JSONValue.object(body).write(to: &bytes)
        return bytes
    }
}
