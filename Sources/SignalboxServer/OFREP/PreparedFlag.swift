import FlagEvaluation
import HTTPServer
import RouteContract

/// The answers that OFREP can give for one flag, written once a revision.
///
/// Source: OpenFeature Remote Evaluation Protocol 0.3.0. `variant` is always sent, and empty when there is none: the
/// official Python client raises without it.
struct PreparedFlag: Sendable {
    private let key: String
    private let variantNames: [String]
    private let values: [JSONValue]
    private let metadata: JSONObject
    /// What an ordinary flag's rule gives most: a variant because the rule named it, and the fixed answers.
    private let matches: [Response]
    private let fixed: Response
    private let standard: Response
    private let disabled: Response
    /// The answer when the rule fails.
    private let failures: [EvaluationErrorCode: Response]

    init(_ flags: FlagSet, at index: Int, isRoute: Bool) {
        let flag = flags[index]
        key = flag.key
        variantNames = flag.variants.map(\.name)
        values = flag.variants.map(\.value)
        metadata = flags.metadata(at: index)
        let writer = AnswerWriter(key: flag.key, metadata: metadata)
        let isRule = flag.targeting != nil
        matches = isRule && !isRoute
            ? flag.variants.map { writer.success(value: $0.value, variant: $0.name, reason: "TARGETING_MATCH") } : []
        let variant = flag.defaultVariant.map { flag.variants[$0] }
        fixed = writer.success(value: variant?.value, variant: variant?.name, reason: "STATIC")
        standard = writer.success(value: variant?.value, variant: variant?.name, reason: "DEFAULT")
        disabled = writer.success(value: nil, variant: nil, reason: "DISABLED")
        var failures: [EvaluationErrorCode: Response] = [:]
        for code in EvaluationErrorCode.allCases {
            let details = flags.errorDetails(at: index, .failed(code)) ?? ""
            failures[code] = AnswerWriter.failure(key: flag.key, code: code.rawValue, details: details, status: 400)
        }
        self.failures = failures
    }

    /// The answer for an ordinary flag.
    func response(for outcome: FlagEvaluation.Outcome) -> Response {
        if let code = outcome.errorCode, let failure = failures[code] { return failure }
        switch outcome.reason {
        case .targetingMatch:
            if let variant = outcome.variant, variant < matches.count { return matches[variant] }
            return standard
        case .static: return fixed
        case .disabled: return disabled
        case .default, .error: return standard
        }
    }

    /// The answer for a route: the choice, and in the metadata what decided it.
    func response(for choice: Choice?, whenFlagGives outcome: FlagEvaluation.Outcome) -> Response {
        if let code = outcome.errorCode, let failure = failures[code] { return failure }
        var metadata = metadata
        guard let choice else {
            metadata["choice"] = "notInBuild"
            return AnswerWriter(key: key, metadata: metadata).success(value: nil, variant: nil, reason: "DEFAULT")
        }
        metadata["choice"] = .string(choice.reason.rawValue)
        let reason =
            switch choice.reason {
            case .stage, .cohort, .share, .holdout: outcome.reason.rawValue
            case .rolledBack, .island: "STATIC"
            default: "TARGETING_MATCH"
            }
        let name = choice.renderer.rawValue
        return AnswerWriter(key: key, metadata: metadata).success(
            value: .string(name), variant: name, reason: reason)
    }
}

/// Writes single answers of OFREP.
struct AnswerWriter {
    let key: String
    let metadata: JSONObject

    /// Without a value the application's own default applies.
    func success(value: JSONValue?, variant: String?, reason: String) -> Response {
        var body: JSONObject = ["key": .string(key)]
        if let value { body["value"] = value }
        body["variant"] = .string(variant ?? "")
        body["reason"] = .string(reason)
        body["metadata"] = .object(metadata)
        return .json(.object(body))
    }

    static func failure(key: String?, code: String, details: String, status: Int) -> Response {
        var body: JSONObject = key.map { ["key": .string($0)] } ?? [:]
        body["errorCode"] = .string(code)
        body["errorDetails"] = .string(details)
        return .json(.object(body), status: status)
    }
}
