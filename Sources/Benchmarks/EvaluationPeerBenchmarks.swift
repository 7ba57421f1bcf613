import FlagEvaluation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// One flag with three conditions and a split, from a parsed context, against datalogic's compiled rule and flagd's own
/// core, both called from Python as their users call them.
func evaluationPeerBenchmarks() {
    guard let setting = PeerSetting() else { return print("peers: the setting does not compile") }
    let ours = setting.nanoseconds(alternating: false)
    print("peers: signalbox \(Int(ours)) ns, three conditions and a split, one parsed context as the peers have it")
    let anew = setting.nanoseconds(alternating: true)
    print("peers: signalbox \(Int(anew)) ns, with two contexts in turns: attributes are looked up anew each time")
    let python = ".venv/bin/python"
    guard access(python, X_OK) == 0 else { return print("peers: skipped, needs \(python) of make test") }
    let output = ".build/peers.out"
    HTTPBenchmarkProcesses.write(setting.peerInput, to: ".build/peers.json")
    let script = "\(python) Sources/Benchmarks/evaluation_peers.py < .build/peers.json"
    guard let process = HTTPBenchmarkProcesses.spawn("/bin/sh", ["-c", script], output: output) else { return }
    var status: CInt = 0
    waitpid(process, &status, 0)
    guard status == 0 else { return print("peers: they fail; see \(output)") }
    let report = HTTPBenchmarkProcesses.contents(of: output)
    for (name, target) in [("datalogic", 5.0), ("flagd-core", 50.0)] {
        let theirs = HTTPBenchmarkProcesses.number(after: "\(name):", in: report)
        print("peers: \(name) \(Int(theirs)) ns, \((theirs / ours * 10).rounded() / 10) × (target \(target) or more)")
    }
}

/// The flag and the context that all get.
private final class PeerSetting {
    private let flags: FlagSet
    private let document = JSONDocument()
    private let variant: String
    private let scratch = EvaluationScratch()
    private static let conditions =
        #"{"and":[{"==":[{"var":"platform"},"ios"]},{">=":[{"var":"tier"},3]},{"in":[{"var":"country"},["AT","CH","DE"]]}]}"#
    private static let flag = """
        {"state":"ENABLED","variants":{"on":"on","off":"off"},"defaultVariant":"off","targeting":{"if":[\(conditions),\
        {"fractional":[["on",50],["off",50]]},"off"]}}
        """
    private static let context =
        #"{"targetingKey":"u-7f3c9a1b2d4e5f60","platform":"ios","tier":4,"country":"DE","plan":"plus"}"#

    init?() {
        guard let json = try? JSONValue(parsing: Self.flag), let flag = try? FlagDefinition(key: "peer", json: json)
        else { return nil }
        flags = FlagSet(flags: [flag])
        let document = self.document
        var text = Self.context
        guard text.withUTF8({ (try? document.parse(UnsafeRawBufferPointer($0))) != nil }) else { return nil }
        let context = EvaluationContext(document, at: document.root)
        guard let variant = flags.evaluation(of: "peer", for: context, at: 0).variant else { return nil }
        self.variant = variant
    }

    var peerInput: String {
        "{\"flag\":\(Self.flag),\"context\":\(Self.context),\"variant\":\"\(variant)\"}"
    }

    /// A call; `alternating` between two contexts, no attribute has been found already.
    func nanoseconds(alternating: Bool) -> Double {
        let first = EvaluationContext(document, at: document.root)
        let other = JSONDocument()
        var text = Self.context
        _ = text.withUTF8 { try? other.parse(UnsafeRawBufferPointer($0)) }
        let second = alternating ? EvaluationContext(other, at: other.root) : first
        let calls = 200_000
        var sum = 0
        let times = (0..<9).map { _ in
            let start = processorNanoseconds()
            for _ in 0..<calls / 2 {
                sum &+= flags.outcome(at: 0, for: first, at: 0, using: scratch).variant ?? 7
                sum &+= flags.outcome(at: 0, for: second, at: 0, using: scratch).variant ?? 7
            }
            return Double(processorNanoseconds() - start) / Double(calls)
        }
        precondition(sum <= calls * 9, "the flag gives a variant")
        return times.sorted()[4]
    }
}
