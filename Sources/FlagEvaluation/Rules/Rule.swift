/// One rule by itself: a cohort that is previewed, an expression that is tried out.
public struct Rule: Sendable {
    private let program: Program
    private let entry: Int32
    private let bucketing: Bucketing

    /// Compiles a rule. Its splits without `bucketBy` take the empty text for a flag's key.
    public init(
        _ rule: JSONValue, evaluators: JSONObject = JSONObject(), bucketing: Bucketing = .v2
    ) throws(FlagError) {
        self.bucketing = bucketing
        guard !rule.isDeeper(than: JSONLimits.flagFile.depth) else {
            throw FlagError(.tooDeep, at: "", "The rule has more than \(JSONLimits.flagFile.depth) levels.")
        }
        var compiler = RuleCompiler(evaluators: evaluators)
        entry = try compiler.compile(rule, variants: nil)
        program = Program(compiler)
    }

    /// What the rule gives: null also when that is no JSON value, or when the rule takes too long.
    public func value(for context: EvaluationContext, at now: Int64) -> JSONValue {
        let scratch = EvaluationScratch()
        return run(context, now, scratch)?.json ?? .null
    }

    /// Whether the rule holds.
    public func matches(_ context: EvaluationContext, at now: Int64) -> Bool {
        let scratch = EvaluationScratch()
        return run(context, now, scratch)?.isTruthy ?? false
    }

    private func run(_ context: EvaluationContext, _ now: Int64, _ scratch: EvaluationScratch) -> Value? {
        scratch.prepare(program, context)
        scratch.machine.pointee.prepare(flagKey: .null, bucketing: bucketing, now: now)
        guard scratch.machine.pointee.run(from: entry) == Ending.value else { return nil }
        return scratch.machine.pointee.result
    }
}
