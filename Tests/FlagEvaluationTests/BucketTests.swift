import FlagEvaluation
import Foundation
import Testing

@Suite struct `A bucket` {
    /// The file says what every implementation must give; `hash` is MurmurHash3 x86 32 with seed 0 of the text's UTF-8.
    @Test func `is what the vectors say`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Vectors/buckets.json")
        let vectors = try #require(Suites.json(file).array)
        #expect(vectors.count >= 20)
        for vector in vectors {
            let text = try #require(vector["text"]?.string)
            let bucket = Bucket(hashing: text)
            #expect(Int64(bucket.value) == vector["hash"]?.integer, "\(text)")
            for (total, position) in try #require(vector["positions"]?.object).entries {
                #expect(
                    Int64(bucket.position(among: try #require(UInt32(total)))) == position.integer, "\(text) \(total)")
            }
        }
    }

    @Test func `of a targeting key is salted by the flag's key, without a separator`() {
        #expect(Bucket(for: "b", salt: "a") == Bucket(hashing: "ab"))
        #expect(Bucket(hashing: "ejOoVL").value == 0 && Bucket(hashing: "ceQdGm").value == .max)
        #expect(Bucket(hashing: "ejOoVL") < Bucket(hashing: "bY9fO-"))
    }

    @Test func `lies among any weights within them`() {
        for total in [1, 2, 3, 100_000, UInt32(Int32.max)] {
            #expect(Bucket(hashing: "ejOoVL").position(among: total) == 0)
            #expect(Bucket(hashing: "ceQdGm").position(among: total) == total - 1)
        }
    }
}

@Suite struct `A split` {
    /// As the flag of a route is: migrated first, the total always 100 000.
    private func migrated(share: Int, of units: Range<Int>) throws -> Set<Int> {
        let split: JSONValue = [
            "fractional": [
                ["cat": ["flow-1", "/", ["var": "targetingKey"]]], ["migrated", .integer(Int64(share))],
                ["legacy", .integer(Int64(100_000 - share))],
            ]
        ]
        let json: JSONValue = [
            "state": "ENABLED", "variants": ["legacy": "legacy", "migrated": "migrated"], "defaultVariant": "legacy",
            "targeting": ["if": [["!": ["var": "targetingKey"]], nil, split]],
        ]
        let set = FlagSet(flags: [try FlagDefinition(key: "orders.detail", json: json)])
        let scratch = EvaluationScratch()
        return Set(
            units.filter { unit in
                let context = EvaluationContext(targetingKey: "unit-\(unit)")
                let outcome = set.outcome(at: 0, for: context, at: 0, using: scratch)
                #expect(outcome.reason == .targetingMatch)
                return outcome.variant == 1
            })
    }

    @Test func `that is widened only adds units, and narrowed only removes them`() throws {
        var before: Set<Int> = []
        for share in [0, 1, 100, 1_000, 5_000, 25_000, 50_000, 99_999, 100_000] {
            let after = try migrated(share: share, of: 0..<1_500)
            #expect(before.isSubset(of: after))
            before = after
        }
        #expect(before.count == 1_500)
    }

    @Test func `gives every variant its share`() throws {
        let count = try migrated(share: 25_000, of: 0..<8_000).count
        // Four standard deviations of a fair draw.
        #expect(abs(count - 2_000) < 155)
    }

    @Test func `without a unit gives the default`() throws {
        let json: JSONValue = [
            "state": "ENABLED", "variants": ["a": 1, "b": 2], "defaultVariant": "b",
            "targeting": ["fractional": [["a", 1]]],
        ]
        let set = FlagSet(flags: [try FlagDefinition(key: "f", json: json)])
        for context in ["{}", #"{"targetingKey":""}"#, #"{"targetingKey":null}"#, #"{"targetingKey":5}"#] {
            #expect(set.evaluation(of: "f", for: try .of(context), at: 0).reason == .default)
        }
    }

    /// The same rule with a weight that must be worked out takes another way through the evaluator.
    @Test func `gives the same whether its weights are literals or expressions`() throws {
        func set(_ weight: JSONValue) throws -> FlagSet {
            let json: JSONValue = [
                "state": "ENABLED", "variants": ["a": 1, "b": 2, "c": 3],
                "targeting": ["fractional": [["a", weight], ["b", 20], ["c"]]],
            ]
            return FlagSet(flags: [try FlagDefinition(key: "f", json: json)])
        }
        let (literal, computed) = (try set(30), try set(["+": [10, 20]]))
        for unit in 0..<500 {
            let context = EvaluationContext(targetingKey: "u\(unit)")
            #expect(
                literal.evaluation(of: "f", for: context, at: 0) == computed.evaluation(of: "f", for: context, at: 0))
        }
    }
}
