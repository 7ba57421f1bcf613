/// The flags of one revision, compiled once: an immutable value that any number of threads may evaluate.
public struct FlagSet: Sendable {
    let compiled: CompiledFlags

    /// Compiles everything. Never fails: a flag that cannot be compiled answers PARSE_ERROR.
    ///
    /// Of two flags with one key the later counts.
    public init(flags: [FlagDefinition], evaluators: JSONObject = JSONObject(), metadata: JSONObject = JSONObject()) {
        compiled = CompiledFlags(flags, evaluators, metadata, updating: nil)
    }

    /// The same of another revision: compiles only flags that are new, or whose definition or cohorts have changed.
    public init(
        updating previous: FlagSet, flags: [FlagDefinition], evaluators: JSONObject = JSONObject(),
        metadata: JSONObject = JSONObject()
    ) {
        compiled = CompiledFlags(flags, evaluators, metadata, updating: previous.compiled)
    }

    /// How many flags there are.
    public var count: Int { compiled.definitions.count }
    /// The keys in the order of their UTF-8; a flag's index is its place here.
    public var keys: [String] { compiled.definitions.map(\.key) }
    /// The flags in the order of their keys.
    public var definitions: [FlagDefinition] { compiled.definitions }
    /// The flag at that index, which is in `0 ..< count`.
    public subscript(index: Int) -> FlagDefinition { compiled.definitions[index] }
    /// Where the same definition stands, of a set that follows this one or is followed by it. For flags in the order of
    /// their keys: `hint`, at first 0, is moved on with them and saves the search.
    public func index(of flag: FlagDefinition, near hint: inout Int) -> Int? { compiled.index(of: flag, near: &hint) }
    /// Where the flag of that key stands.
    public func index(ofKey key: UnsafeRawBufferPointer) -> Int? { compiled.index(ofKey: key) }
    /// Where the flag of that key stands.
    public func index(ofKey key: String) -> Int? {
        var key = key
        return key.withUTF8 { compiled.index(ofKey: UnsafeRawBufferPointer($0)) }
    }
    /// The set's metadata, and over it the flag's.
    public func metadata(at index: Int) -> JSONObject {
        var metadata = compiled.metadata
        for (key, value) in compiled.definitions[index].metadata.entries { metadata[key] = value }
        return metadata
    }
    /// Whether the answer depends on the time: the rule or a cohort that it names asks for it.
    public func readsClock(at index: Int) -> Bool {
        precondition(index >= 0 && index < compiled.flagCount)
        return compiled.flags[index].readsClock
    }
    /// Whether any flag's answer depends on the time.
    public var readsClock: Bool { compiled.readsClock }

    /// Why the flag at that index cannot be evaluated; nil when it can.
    public func fault(at index: Int) -> FlagError? { compiled.faults[index] }

    /// What to tell people about a failed outcome of the flag at that index; nil when it did not fail.
    public func errorDetails(at index: Int, _ outcome: EvaluationOutcome) -> String? {
        switch outcome.errorCode {
        case nil: nil
        case .flagNotFound: "There is no such flag."
        case .parseError: compiled.faults[index]?.message ?? "The flag cannot be evaluated."
        case .general: "The targeting gave something that names no variant, or took too long."
        }
    }

    /// Evaluates one flag. `now` is in Unix seconds.
    public func evaluation(of key: String, for context: EvaluationContext, at now: Int64) -> Evaluation {
        guard let index = index(ofKey: key) else {
            return Evaluation(
                value: nil, variant: nil, reason: .error, errorCode: .flagNotFound,
                errorDetails: "There is no flag \"\(key)\".", metadata: compiled.metadata)
        }
        let outcome = outcome(at: index, for: context, at: now, using: EvaluationScratch())
        let variant = outcome.variant.map { compiled.definitions[index].variants[$0] }
        return Evaluation(
            value: variant?.value, variant: variant?.name, reason: outcome.reason, errorCode: outcome.errorCode,
            errorDetails: errorDetails(at: index, outcome), metadata: metadata(at: index))
    }

    /// Evaluates the flag at that index without allocating, for ordinary rules. An index out of range answers
    /// FLAG_NOT_FOUND.
    public func outcome(
        at index: Int, for context: borrowing EvaluationContext, at now: Int64, using scratch: EvaluationScratch
    ) -> EvaluationOutcome {
        guard index >= 0, index < compiled.flagCount else { return .failed(.flagNotFound) }
        let flag = compiled.flags[index]
        switch flag.mode {
        case .disabled: return EvaluationOutcome(nil, .disabled)
        case .broken: return .failed(.parseError)
        case .constant: return flag.fallback(.static)
        case .targeting: break
        }
        scratch.prepare(compiled.program, context)
        let machine = scratch.machine
        machine.pointee.prepare(flagKey: flag.key, bucketing: flag.bucketing, now: now)
        let ending = machine.pointee.run(from: flag.entry)
        if ending >= 0 { return EvaluationOutcome(Int(ending), .targetingMatch) }
        switch ending {
        case Ending.null: return flag.fallback(.default)
        case Ending.value: return compiled.outcome(of: flag, machine.pointee.result)
        default: return .failed(.general)
        }
    }
}
