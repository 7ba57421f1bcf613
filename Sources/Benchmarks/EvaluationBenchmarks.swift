import FlagEvaluation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What an evaluation costs, in parts and from a request body to the bytes of the answer.
func evaluationBenchmarks() {
    guard let setting = EvaluationSetting() else { return print("evaluation: the setting does not compile") }
    let body = Array(setting.body.utf8)
    print("evaluation, medians of \(rounds) rounds, body of \(body.count) bytes")
    body.withUnsafeBytes { body in
        report("scan the body into the tape") { try? setting.document.parse(body) }
        report("10-rule cohort flag, body to response bytes") { setting.answer(body) }
        let context = setting.fillSlots(body)
        let (flags, scratch, now) = (setting.flags, setting.scratch, Int64(1_700_000_000))
        report("10-rule program alone, slots filled") {
            sink = flags.outcome(at: setting.index, for: context, at: now, using: scratch).variant ?? -1
        }
        report("renderer flag: cat, hash and split, slots filled") {
            sink = flags.outcome(at: setting.renderer, for: context, at: now, using: scratch).variant ?? -1
        }
    }
    for length in [13, 45] {
        let text = [UInt8](repeating: 0x61, count: length)
        text.withUnsafeBytes { bytes in
            report("MurmurHash3 of \(length) bytes") { sink = Int(Bucket(hashing: bytes).value) }
        }
    }
}

/// Where results go that nothing else needs, so that they are worked out all the same.
nonisolated(unsafe) private var sink = 0
private let rounds = 9

/// Prints the median processor time of one call over several rounds; others on the machine do not count.
@inline(never)
private func report(_ name: String, _ body: () -> Void) {
    let calls = 200_000
    let times = (0..<rounds).map { _ in
        let start = processorNanoseconds()
        for _ in 0..<calls { body() }
        return Double(processorNanoseconds() - start) / Double(calls)
    }.sorted()
    let median = times[rounds / 2]
    print("  \((median * 10).rounded() / 10) ns  \(Int(1e9 / max(median, 0.001))) /s  \(name)")
}

func processorNanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Two flags, a body, and what a worker of the server keeps between requests.
private final class EvaluationSetting {
    let flags: FlagSet
    let index: Int
    let renderer: Int
    let document = JSONDocument()
    let scratch = EvaluationScratch()
    private var output: [UInt8] = []
    /// The answers that there can be, one a variant.
    private let answers: [[UInt8]]

    let body = """
        {"context":{"targetingKey":"u-7f3c9a1b2d4e5f60","country":"DE","platform":"ios","build":4217,\
        "osVersion":"18.2.1","locale":"de-DE","plan":"plus","internal":false,"device":"iPhone17,1",\
        "email":"mira@example.org","groups":["beta","testflight"],"sessions":42,"age":31.5}}
        """

    private static let cohort = """
        {"and":[{"==":[{"var":"platform"},"ios"]},{">=":[{"var":"build"},4200]},{"<":[{"var":"build"},5000]},
        {"in":[{"var":"country"},["AT","CH","DE","FR"]]},{"!=":[{"var":"plan"},"free"]},
        {"starts_with":[{"var":"locale"},"de"]},{"sem_ver":[{"var":"osVersion"},">=","17.0.0"]},
        {"!":{"var":"internal"}},{"ends_with":[{"var":"email"},"@example.org"]},{">":[{"var":"sessions"},10]}]}
        """
    private static let file = """
        {"flags":{
        "new-search":{"state":"ENABLED","variants":{"on":true,"off":false},"defaultVariant":"off",
        "targeting":{"if":[{"$ref":"small"},"on","off"]}},
        "orders.detail":{"state":"ENABLED","variants":{"legacy":"legacy","migrated":"migrated"},
        "defaultVariant":"legacy","targeting":{"if":[{"!":{"var":"targetingKey"}},null,
        {"fractional":[{"cat":["flow-orders","/",{"var":"targetingKey"}]},["migrated",5000],["legacy",95000]]}]}}},
        "$evaluators":{"small":\(cohort)}}
        """

    init?() {
        guard let json = try? JSONValue(parsing: Self.file), let file = try? FlagFile(json: json) else { return nil }
        flags = FlagSet(flags: file.flags, evaluators: file.evaluators)
        guard let index = flags.index(ofKey: "new-search"), let renderer = flags.index(ofKey: "orders.detail") else {
            return nil
        }
        (self.index, self.renderer) = (index, renderer)
        answers = flags[index].variants.map { variant in
            let text = "{\"key\":\"new-search\",\"value\":\(variant.value.jsonText),\"variant\":\"\(variant.name)\""
            return Array((text + ",\"reason\":\"TARGETING_MATCH\"}").utf8)
        }
        output.reserveCapacity(1_024)
    }

    /// What the server does between a body and an answer.
    @inline(never)
    func answer(_ body: UnsafeRawBufferPointer) {
        output.removeAll(keepingCapacity: true)
        let key: StaticString = "new-search"
        guard (try? document.parse(body)) != nil, let context = EvaluationContext(body: document),
            let index = flags.index(
                ofKey: UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        else { return }
        let outcome = flags.outcome(at: index, for: context, at: 1_700_000_000, using: scratch)
        if let variant = outcome.variant { output.append(contentsOf: answers[variant]) }
        sink = output.count
    }

    /// The body's context, with all attributes looked up and the flags answering as they should.
    func fillSlots(_ body: UnsafeRawBufferPointer) -> EvaluationContext {
        try? document.parse(body)
        let context = EvaluationContext(body: document) ?? EvaluationContext(targetingKey: nil)
        let outcome = flags.outcome(at: index, for: context, at: 1_700_000_000, using: scratch)
        precondition(outcome.reason == .targetingMatch && flags[index].variants[outcome.variant ?? 1].name == "on")
        return context
    }
}
