import CAllocations
import Testing

@testable import FlagEvaluation

/// How often the thread asks for memory in a thousand calls, after what is needed once has been done.
func allocations(in call: () throws -> Void) rethrows -> UInt64 {
    for _ in 0..<10 { try call() }
    let before = sbx_allocations()
    for _ in 0..<1_000 { try call() }
    return sbx_allocations() - before
}

private var isOptimized: Bool {
    var isDebug = false
    assert({ isDebug = true }() == ())
    return !isDebug
}

@Suite(.enabled(if: sbx_counts_allocations(), "the allocator cannot be watched"))
struct `Evaluation allocates nothing` {
    private static let context = """
        {"targetingKey":"u-7f3c9a1b2d4e5f60","platform":"ios","tier":4217,"country":"DE","plan":"plus",\
        "locale":"de-DE","osVersion":"18.2.1","email":"mira@example.org","groups":["beta","testflight"],\
        "device":{"name":"iPhone17,1","memory":[8,12]},"age":31.5,"internal":false}
        """

    @Test func `but the watch sees what is allocated`() {
        #expect(allocations { withExtendedLifetime([1, 2, 3].map { $0 + 1 }) {} } >= 1_000)
    }

    /// Loops and lists go through sequences, which cost memory until they are optimized.
    private static let optimizedOnly = [
        #"{"if":[{"sem_ver":[{"var":"osVersion"},">=","17.0.0"]},"on","off"]}"#,
        #"{"if":[{">":[{"reduce":[{"var":"device.memory"},{"+":[{"var":"current"},{"var":"accumulator"}]},0]},9]},"on"]}"#,
        #"{"if":[{"missing":["plan","age"]},"off","on"]}"#,
        #"{"if":[{"in":["beta",{"merge":[{"var":"groups"},["x"]]}]},"on","off"]}"#,
        #"{"if":[{"filter":[{"var":"groups"},{"!=":[{"var":""},"beta"]}]},"on","off"]}"#,
        #"{"if":[{"all":[{"var":"groups"},{"!!":{"var":""}}]},{"if":[{"none":[{"var":"groups"},false]},"on"]}]}"#,
        #"{"if":[{"missing_some":[1,["plan","x"]]},"off","on"]}"#,
        #"{"if":[{"<":[{"-":[{"var":"age"},1]},{"max":[{"%":[{"var":"tier"},7]},{"/":[{"var":"age"},0.5]}]}]},"on","off"]}"#,
        #"{"if":[{"map":[{"var":"device.memory"},{"*":[{"var":""},2]}]},"on","off"]}"#,
    ]
    private static let rules = [
        #"{"if":[{"==":[{"var":"platform"},"ios"]},"on","off"]}"#,
        #"{"if":[{"and":[{">=":[{"var":"tier"},3]},{"in":[{"var":"country"},["AT","CH","DE"]]}]},"on","off"]}"#,
        #"{"fractional":[["on",50],["off",50]]}"#,
        #"{"fractional":[{"cat":[{"var":"$flagd.flagKey"},{"var":"email"}]},["on",50],["off",50]]}"#,
        #"{"if":[{"starts_with":[{"var":"locale"},"de"]},{"if":[{"ends_with":[{"var":"email"},".org"]},"on"]},"off"]}"#,
        #"{"if":[{"some":[{"var":"groups"},{"==":[{"var":""},"beta"]}]},"on","off"]}"#,
        #"{"if":[{"==":[{"substr":[{"var":"device.name"},0,6]},"iPhone"]},"on","off"]}"#,
        #"{"if":[{"<":[{"var":"$flagd.timestamp"},2000000000]},"on","off"]}"#,
    ]

    @Test(arguments: rules + (isOptimized ? optimizedOnly : []))
    func `for a rule`(rule: String) throws {
        let text = #"{"state":"ENABLED","variants":{"on":1,"off":2},"defaultVariant":"off","targeting":\#(rule)}"#
        let flags = FlagSet(flags: [try FlagDefinition(key: "flag", json: try JSONValue(parsing: text))])
        try #require(flags.fault(at: 0) == nil)
        let document = JSONDocument()
        var context = Self.context
        try context.withUTF8 { try document.parse(UnsafeRawBufferPointer($0)) }
        let scratch = EvaluationScratch()
        let asking = EvaluationContext(document, at: document.root)
        #expect(flags.outcome(at: 0, for: asking, at: 1_800_000_000, using: scratch).variant != nil)
        let count = allocations {
            _ = flags.outcome(at: 0, for: asking, at: 1_800_000_000, using: scratch)
        }
        #expect(count == 0)
    }

    @Test func `for reading the context`() throws {
        let document = JSONDocument()
        var context = Self.context
        let count = try context.withUTF8 { bytes in
            try allocations { try document.parse(UnsafeRawBufferPointer(bytes)) }
        }
        #expect(count == 0)
    }
}
