import FlagEvaluation
import Testing

@Suite struct `A context in which values are replaced` {
    /// Evaluates a rule over `{"context": …, "unit": "u-1", "build": "app:730"}`, with both replaced.
    private func value(_ rule: String, _ context: String) throws -> String {
        let document = JSONDocument()
        let body = #"{"context":\#(context),"unit":"u-1","build":"app:730"}"#
        try Array(body.utf8).withUnsafeBytes { try document.parse($0) }
        let (unit, build) = (
            try #require(document.member("unit", of: document.root)),
            try #require(document.member("build", of: document.root))
        )
        let replaced = try #require(EvaluationContext(body: document)).replacing(
            targetingKey: unit, attribute: "build", by: build)
        return try Rule(.of(rule)).value(for: replaced, at: 0).jsonText
    }

    private static let contexts = [
        "null", "{}", #"{"a":1}"#, #"{"targetingKey":"other","build":"app:1","a":1}"#,
        #"{"build":{"x":1},"targetingKey":5}"#,
    ]

    @Test(arguments: contexts)
    func `gives those values whatever the context says`(_ context: String) throws {
        #expect(try value(#"{"var":"targetingKey"}"#, context) == #""u-1""#)
        #expect(try value(#"{"var":"build"}"#, context) == #""app:730""#)
        #expect(try value(#"{"var":{"cat":["bu","ild"]}}"#, context) == #""app:730""#)
        #expect(try value(#"{"var":["build.x","none"]}"#, context) == #""none""#)
        #expect(try value(#"{"missing":["build","targetingKey","b"]}"#, context) == #"["b"]"#)
        #expect(try value(#"{"map":[["x"],{"var":""}]}"#, context) == #"["x"]"#)
    }

    @Test func `leaves everything else as it is`() throws {
        #expect(try value(#"{"var":"a.b.1"}"#, #"{"a":{"b":[1,2]}}"#) == "2")
        #expect(try value(#"{"var":"a"}"#, "{}") == "null")
        let whole = try JSONValue.of(value(#"{"var":""}"#, #"{"a":1,"build":2}"#))
        #expect(whole == ["a": 1, "targetingKey": "u-1", "build": "app:730"])
    }

    @Test func `is another context to a storage that has seen the first`() throws {
        let document = JSONDocument()
        let body = #"{"context":{"targetingKey":"a","build":"b"},"unit":"u-1","build":"app:730"}"#
        try Array(body.utf8).withUnsafeBytes { try document.parse($0) }
        let plain = try #require(EvaluationContext(body: document))
        let unit = try #require(document.member("unit", of: document.root))
        let build = try #require(document.member("build", of: document.root))
        let replaced = plain.replacing(targetingKey: unit, attribute: "build", by: build)
        let flag = try FlagDefinition(
            key: "f",
            json: .of(#"{"state":"ENABLED","variants":{"b":1,"app:730":2},"targeting":{"var":"build"}}"#))
        let set = FlagSet(flags: [flag])
        let scratch = EvaluationScratch()
        for _ in 0..<2 {
            #expect(set.outcome(at: 0, for: plain, at: 0, using: scratch).variant == 0)
            #expect(set.outcome(at: 0, for: replaced, at: 0, using: scratch).variant == 1)
        }
        #expect(plain.targetingKey == "a" && replaced.targetingKey == "u-1")
        #expect(replaced.json == ["targetingKey": "u-1", "build": "app:730"])
    }
}

@Suite struct `A flag set that updates another` {
    private func flag(_ key: String, _ rule: String, _ bucketing: Bucketing = .v2) throws -> FlagDefinition {
        let json = try JSONValue.of(#"{"state":"ENABLED","variants":{"a":1,"b":2,"c":3},"targeting":\#(rule)}"#)
        return try FlagDefinition(key: key, json: json, bucketing: bucketing)
    }

    /// Whatever happens to the flags and cohorts, it answers as a set that was compiled from nothing.
    @Test func `answers as one that was compiled anew`() throws {
        var generator = SeededGenerator(seed: 7)
        let rules = [
            #"{"var":"x"}"#, #"{"if":[{"$ref":"one"},"a","b"]}"#, #"{"if":[{"$ref":"two"},"b","c"]}"#,
            #"{"fractional":[["a",1],["b",1],["c",2]]}"#, #"{"fractional":[{"var":"x"},["a",1],["b",1]]}"#,
            #"{"$ref":"gone"}"#, #""c""#, #"{"if":[{"in":[{"var":"x"},["a","q","b"]]},"a",{"cat":["c"]}]}"#,
        ]
        let cohorts = [#"{"==":[{"var":"x"},"a"]}"#, #"{"$ref":"one"}"#, #"{"!":{"var":"x"}}"#]
        var flags: [String: FlagDefinition] = [:]
        var evaluators: JSONObject = ["one": try .of(cohorts[0]), "two": try .of(cohorts[1])]
        var set = FlagSet(flags: [])
        for _ in 0..<300 {
            let key = "f\(Int.random(in: 0..<40, using: &generator))"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: flags[key] = nil
            case 1: evaluators["one"] = try .of(cohorts[Bool.random(using: &generator) ? 0 : 2])
            default:
                let rule = try #require(rules.randomElement(using: &generator))
                flags[key] = try flag(
                    key, rule.hasPrefix("\"") ? "{}" : rule, Bool.random(using: &generator) ? .v2 : .v3)
            }
            set = FlagSet(updating: set, flags: Array(flags.values), evaluators: evaluators)
            let fresh = FlagSet(flags: Array(flags.values), evaluators: evaluators)
            #expect(set.keys == fresh.keys)
            for context in [#"{"x":"a","targetingKey":"u1"}"#, #"{"x":"b","targetingKey":"u2"}"#, "{}"] {
                let context = try EvaluationContext.of(context)
                for key in set.keys {
                    #expect(
                        set.evaluation(of: key, for: context, at: 5) == fresh.evaluation(of: key, for: context, at: 5))
                }
            }
        }
    }
}

/// A generator that gives the same numbers for the same seed. Source: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
