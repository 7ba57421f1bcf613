import FlagEvaluation
import Foundation
import Testing

@Suite struct `Bucketing v3` {
    /// The file was made with flagd's own core 2.0.0: `hash` is MurmurHash3 of the value's deterministic CBOR.
    @Test func `hashes the deterministic CBOR of any value`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Vectors/buckets-v3.json")
        let vectors = try #require(Suites.json(file).array)
        #expect(vectors.count >= 50)
        for vector in vectors {
            let text = try #require(vector["json"]?.string)
            #expect(Bucket(encoding: try .of(text)).map { Int64($0.value) } == vector["hash"]?.integer, "\(text)")
        }
    }

    @Test func `has no bucket for null, and none for values that are too large`() throws {
        #expect(Bucket(encoding: .null) == nil)
        #expect(Bucket(encoding: .string(String(repeating: "a", count: 1 << 21))) == nil)
        #expect(Bucket(encoding: try .of(String(repeating: "[", count: 60) + String(repeating: "]", count: 60))) != nil)
        #expect(Bucket(encoding: (0..<70).reduce(JSONValue.null) { value, _ in [value] }) == nil)
    }

    @Test func `takes the array of both keys where v2 joins them`() {
        #expect(Bucket(for: "b", salt: "a", by: .v3) == Bucket(encoding: ["a", "b"]))
        #expect(Bucket(for: "b", salt: "a") == Bucket(hashing: "ab"))
        #expect(Bucket(for: "c", salt: "ab", by: .v3) != Bucket(for: "bc", salt: "a", by: .v3))
    }

    /// What the rule `{"fractional": […]}` gives for the context: the shares' number, or nothing for the default.
    private func share(_ rule: String, _ context: String, _ bucketing: Bucketing) throws -> JSONValue? {
        let names = (0..<8).map { ("s\($0)", JSONValue.integer($0)) }
        let json: JSONValue = [
            "state": "ENABLED", "variants": .object(JSONObject(names)), "targeting": try .of(rule),
        ]
        let flag = try FlagDefinition(key: "f", json: json, bucketing: bucketing)
        return FlagSet(flags: [flag]).evaluation(of: "f", for: try .of(context), at: 0).value
    }

    private static let shares = #"["s0",1],["s1",1],["s2",1],["s3",1],["s4",1],["s5",1],["s6",1],["s7",1]"#

    @Test(arguments: [
        (#""u""#, #""u""#), ("5", "5"), ("5.0", "5"), ("-0.0", "0"), ("true", "true"),
        (#"{"b":1.0,"a":[]}"#, #"{"a":[],"b":1}"#),
    ])
    func `buckets by texts, numbers, booleans and objects`(_ value: String, _ same: String) throws {
        let rule = #"{"fractional":[{"var":"unit"},\#(Self.shares)]}"#
        let expected = try #require(Bucket(encoding: try .of(same))).position(among: 8)
        #expect(try share(rule, #"{"unit":\#(value)}"#, .v3) == .integer(Int64(expected)))
    }

    @Test func `gives the default for null, and v2 for all that is no text`() throws {
        let rule = #"{"fractional":[{"var":"unit"},\#(Self.shares)]}"#
        for context in ["{}", #"{"unit":null}"#] { #expect(try share(rule, context, .v3) == nil) }
        for context in ["{}", #"{"unit":5}"#, #"{"unit":true}"#, #"{"unit":{}}"#, #"{"unit":""}"#] {
            #expect(try share(rule, context, .v2) == nil)
        }
        // An empty text is a text.
        #expect(try share(rule, #"{"unit":""}"#, .v3) != nil)
    }

    @Test func `without bucketBy needs a targeting key that is a text`() throws {
        let rule = #"{"fractional":[\#(Self.shares)]}"#
        let expected = Bucket(for: "u-1", salt: "f", by: .v3).position(among: 8)
        #expect(try share(rule, #"{"targetingKey":"u-1"}"#, .v3) == .integer(Int64(expected)))
        for context in ["{}", #"{"targetingKey":5}"#, #"{"targetingKey":null}"#, #"{"targetingKey":""}"#] {
            #expect(try share(rule, context, .v3) == nil)
        }
    }

    @Test(arguments: Bucketing.allCases)
    func `takes an array in the place of bucketBy for one share more`(_ bucketing: Bucketing) throws {
        let computed = #"{"fractional":[{"var":"share"},["s1",1],["s2",1]]}"#
        let written = #"{"fractional":[["s0",1],["s1",1],["s2",1]]}"#
        for unit in 0..<50 {
            let context = #"{"targetingKey":"u\#(unit)","share":["s0",1]}"#
            #expect(try share(computed, context, bucketing) == share(written, context, bucketing))
            // Not as the answer itself but within another rule, which takes another way through the compiler.
            #expect(
                try share(#"{"cat":[\#(computed)]}"#, context, bucketing)
                    == share(#"{"cat":[\#(written)]}"#, context, bucketing))
        }
    }

    @Test func `stands beside the definition and not inside it`() throws {
        let json = try JSONValue.of(#"{"state":"ENABLED","variants":{"a":1},"bucketing":"v3"}"#)
        #expect(try FlagDefinition(key: "f", json: json).bucketing == .v2)
        let file = try FlagFile(json: ["flags": ["f": json]], bucketing: .v3)
        #expect(file.flags.map(\.bucketing) == [.v3] && file.flags[0].json == json.object)
    }
}
