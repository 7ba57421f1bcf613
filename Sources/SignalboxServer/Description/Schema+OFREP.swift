import FlagEvaluation

/// The shapes of OFREP 0.3.0 as this service fills them.
extension Schema {
    static let ofrepRequest: Schema = .keywords([
        "type": "object", "properties": ["context": ["type": ["object", "null"]]],
    ])

    private static let metadata = Schema.keywords([
        "type": "object", "additionalProperties": ["type": ["string", "number", "boolean"]],
    ])
    static let ofrepSuccess = Schema.named(
        "Evaluation",
        [
            "key": .string, "value?": .any, "variant": .string, "reason": .words(Reason.allCases.map(\.rawValue)),
            "metadata": metadata,
        ])
    static let ofrepFailure = Schema.named(
        "EvaluationFailure", ["key?": .string, "errorCode": .string, "errorDetails": .string])
    static let ofrepBulk: Schema = [
        "flags": .list(of: .either([ofrepSuccess, ofrepFailure])),
        "eventStreams": .list(of: [
            "type": .words(["sse"]), "endpoint": ["requestUri": .string], "inactivityDelaySec": .integer,
        ]),
        "metadata": metadata,
    ]
}
