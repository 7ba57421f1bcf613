import FlagEvaluation

// Evaluates what a differential test sends: a JSON text a line on standard input, its answer a line on standard output.
// `{"file", "bucketing", "contexts"}` gives for each flag and each context `[variant, reason, errorCode]`.
// `{"rule", "data"}` gives the rule's value.

private let limits = JSONLimits(depth: 64, keys: 200_000, stringBytes: 1 << 20)

private func answer(_ line: String) throws -> JSONValue {
    let request = try JSONValue(parsing: line, limits: limits)
    if let rule = request["rule"] {
        return try Rule(rule).value(for: context(request["data"] ?? .null), at: 1_700_000_000)
    }
    let bucketing = request["bucketing"]?.string.flatMap { Bucketing(rawValue: $0) } ?? .v2
    let file = try FlagFile(json: request["file"] ?? .null, bucketing: bucketing)
    let flags = FlagSet(flags: file.flags, evaluators: file.evaluators, metadata: file.metadata)
    let contexts = try (request["contexts"]?.array ?? []).map { try context($0) }
    return .array(
        flags.keys.flatMap { key in
            contexts.map { context in
                let evaluation = flags.evaluation(of: key, for: context, at: 1_700_000_000)
                return [
                    evaluation.variant.map { .string($0) } ?? .null, .string(evaluation.reason.rawValue),
                    evaluation.errorCode.map { .string($0.rawValue) } ?? .null,
                ]
            }
        })
}

private func context(_ value: JSONValue) throws -> EvaluationContext {
    let document = JSONDocument()
    try Array(value.jsonText.utf8).withUnsafeBytes { try document.parse($0, limits: limits) }
    return EvaluationContext(document, at: document.root)
}

while let line = readLine() {
    do {
        print(try answer(line).jsonText)
    } catch {
        print(JSONValue.object(["refused": .string("\(error)")]).jsonText)
    }
}
