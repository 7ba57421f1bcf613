// Compiled into one module with the sources of FlagEvaluation by `Fuzz/run`, so that nothing is imported here.

/// What the coverage-guided fuzzer calls. The first byte chooses what the rest is given to.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let data, count > 0 else { return 0 }
    let bytes = UnsafeRawBufferPointer(start: data + 1, count: count - 1)
    switch data[0] % 3 {
    case 0: scan(bytes)
    case 1: evaluateRule(bytes)
    default: readFlags(bytes)
    }
    return 0
}

/// What is taken can be written, and read again as the same.
private func scan(_ bytes: UnsafeRawBufferPointer) {
    let document = JSONDocument()
    guard (try? document.parse(bytes)) != nil else { return }
    guard let value = document.value(of: document.root) else { return }
    guard let again = try? JSONValue(parsing: value.canonicalJSON) else { fatalError("our own text is refused") }
    precondition(again.canonicalJSON == value.canonicalJSON, "our own text is read as something else")
    _ = Bucket(encoding: value)
}

/// Read only, and by one thread.
private nonisolated(unsafe) let contexts = [
    #"{}"#, #"{"targetingKey":"u-1","a":[1,"x",null,{"b":1.5}],"b":"1.2.3","c":{"d":true}}"#,
].compactMap { text -> EvaluationContext? in
    let document = JSONDocument()
    guard (try? Array(text.utf8).withUnsafeBytes({ try document.parse($0) })) != nil else { return nil }
    return EvaluationContext(document, at: document.root)
}

/// What compiles can be evaluated, in bounded time and memory.
private func evaluateRule(_ bytes: UnsafeRawBufferPointer) {
    guard let json = try? JSONValue(parsing: bytes) else { return }
    for bucketing in Bucketing.allCases {
        guard let rule = try? Rule(json, evaluators: ["a": json], bucketing: bucketing) else { continue }
        for context in contexts { _ = rule.value(for: context, at: 1_700_000_000) }
    }
}

/// What is stored can be compiled, evaluated and updated.
private func readFlags(_ bytes: UnsafeRawBufferPointer) {
    guard let json = try? JSONValue(parsing: bytes), let file = try? FlagFile(json: json) else { return }
    let set = FlagSet(flags: file.flags, evaluators: file.evaluators, metadata: file.metadata)
    let again = FlagSet(updating: set, flags: file.flags, evaluators: file.evaluators, metadata: file.metadata)
    for key in set.keys {
        for context in contexts {
            let evaluation = set.evaluation(of: key, for: context, at: 1_700_000_000)
            precondition(evaluation == again.evaluation(of: key, for: context, at: 1_700_000_000))
        }
    }
}
