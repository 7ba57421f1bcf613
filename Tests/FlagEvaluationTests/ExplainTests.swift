import Foundation
import Testing

@testable import FlagEvaluation

extension JSONValue {
    /// The same with null for what is no number, everywhere.
    var finite: JSONValue {
        switch self {
        case .float(let value): value.isFinite ? self : .null
        case .array(let elements): .array(elements.map(\.finite))
        case .object(let object): .object(JSONObject(object.entries.map { ($0.key, $0.value.finite) }))
        default: self
        }
    }
}

/// What the walk that explains makes of a rule.
func walked(_ rule: JSONValue, _ context: EvaluationContext, at now: Int64 = 0) -> JSONValue {
    var walk = RuleWalk(context: context.json, flagKey: nil, now: now, evaluators: [:])
    return walk.run(rule, at: JSONPointer()).value?.finite ?? .null
}

@Suite struct `An explanation` {
    @Test func `agrees with the compiled rule in each case of JsonLogic's suite`() throws {
        guard let folder = Suites.folder("jsonlogic") else { return }
        var count = 0
        for test in try #require(Suites.json(folder.appendingPathComponent("tests.json")).array) {
            guard let test = test.array else { continue }
            count += 1
            let context = try EvaluationContext.of(test[1].jsonText)
            let value = try Rule(test[0]).value(for: context, at: 0)
            #expect(walked(test[0], context) == value, "\(test[0].jsonText) of \(test[1].jsonText)")
        }
        #expect(count == 277)
    }

    @Test(arguments: [1, 2, 3, 4]) func `agrees with it on rules at random`(seed: UInt64) throws {
        var random = RandomRules(seed: seed)
        var compared = 0
        for number in 0..<1_500 {
            let rule = random.rule(depth: 4)
            let context = EvaluationContext(targetingKey: random.unit(), attributes: random.attributes())
            guard let compiled = try? Rule(rule) else { continue }
            compared += 1
            #expect(
                walked(rule, context, at: 7) == compiled.value(for: context, at: 7),
                "seed \(seed), rule \(number): \(rule.jsonText) of \(context.json.jsonText)")
        }
        #expect(compared > 1_400)
    }

    private static let file = """
        {"flags": {"search": {"state": "ENABLED", "variants": {"old": 1, "new": 2}, "defaultVariant": "old",
            "targeting": {"if": [{"$ref": "staff"}, "new",
                {"fractional": [["new", 10], ["old", 90]]}]}}},
         "$evaluators": {"staff": {"ends_with": [{"var": "email"}, "@example.com"]}}}
        """

    private func explained(_ context: String) throws -> Explanation {
        let file = try FlagFile(json: .of(Self.file))
        let flags = FlagSet(flags: file.flags, evaluators: file.evaluators)
        return flags.explanation(at: 0, for: try .of(context), at: 0)
    }

    @Test func `shows the cohort, its operands and the branch that was taken`() throws {
        let explanation = try explained(#"{"email": "mia@example.com"}"#)
        let condition = try #require(explanation.steps.first)
        #expect((condition.path, condition.operation) == ("/targeting/if", "if"))
        #expect(condition.operands == [true, "new"])
        #expect(condition.notes["branch"] == 0)
        let reference = try #require(condition.steps.first)
        #expect(reference.notes["cohort"] == "staff" && reference.notes["matched"] == true)
        #expect(reference.steps.first?.operands == ["mia@example.com", "@example.com"])
        #expect(explanation.outcome == EvaluationOutcome(1, .targetingMatch))
    }

    @Test func `shows the hash, the bucket and the edges of a split`() throws {
        let explanation = try explained(#"{"targetingKey": "u-1"}"#)
        let split = try #require(explanation.steps.first?.steps.last?.notes["split"])
        let bucket = Bucket(for: "u-1", salt: "search")
        #expect(split["hashInput"] == "searchu-1")
        #expect(split["hash"] == .integer(Int64(bucket.value)))
        #expect(split["bucket"] == .integer(Int64(bucket.position(among: 100))))
        #expect(split["total"] == 100)
        let isNew = bucket.position(among: 100) < 10
        #expect(
            split["edges"] == [
                ["variant": "new", "from": 0, "to": 10, "matched": .bool(isNew)],
                ["variant": "old", "from": 10, "to": 100, "matched": .bool(!isNew)],
            ])
    }

    @Test func `of a flag without a rule, disabled or broken, says just that`() throws {
        let flags = FlagSet(flags: [
            FlagDefinition(key: "a", stored: ["state": "ENABLED", "variants": ["x": 1], "defaultVariant": "x"]),
            FlagDefinition(key: "b", stored: ["state": "DISABLED", "variants": ["x": 1]]),
            FlagDefinition(
                key: "c", stored: ["state": "ENABLED", "variants": ["x": 1], "targeting": ["$ref": "nobody"]]),
        ])
        let outcomes = (0..<4).map { flags.explanation(at: $0, for: EvaluationContext(targetingKey: nil), at: 0) }
        #expect(
            outcomes.map(\.outcome) == [
                EvaluationOutcome(0, .static), EvaluationOutcome(nil, .disabled), .failed(.parseError),
                .failed(.flagNotFound),
            ])
        #expect(outcomes.allSatisfy { $0.steps.isEmpty })
    }

    @Test func `shows no more than a page of what could go on for ever`() throws {
        let list = JSONValue.array(Array(repeating: 1, count: 30_000))
        let rule: JSONValue = ["map": [["var": "a"], ["+": [["var": ""], 1]]]]
        var walk = RuleWalk(context: ["a": list], flagKey: nil, now: 0, evaluators: [:])
        let (value, steps) = walk.run(rule, at: JSONPointer())
        #expect(value?.array?.count == 30_000)
        #expect(walk.isCut && steps.count <= 2_000)
    }

    @Test func `only mentions what is too long to show`() throws {
        let list = JSONValue.array(Array(repeating: 1, count: 30_000))
        let rule: JSONValue = ["and": .array(Array(repeating: ["var": "a"], count: 60))]
        var walk = RuleWalk(context: ["a": list], flagKey: nil, now: 0, evaluators: [:])
        let (value, steps) = walk.run(rule, at: JSONPointer())
        #expect(value == list && steps.first?.operands.count == 60)
        let explanation = Explanation(
            value: value, outcome: EvaluationOutcome(nil, .default), steps: steps, isCut: false)
        #expect(JSONValue.object(explanation.json).jsonText.utf8.count < 50_000)
    }

    /// Searching a long text of one letter for another would take a thousand million comparisons.
    @Test func `gives up what would take too long`() throws {
        let text = { JSONValue.string(String(repeating: "a", count: $0)) }
        var walk = RuleWalk(
            context: ["long": text(65_000)], flagKey: nil, now: 0, evaluators: [:])
        let rule: JSONValue = ["in": [["cat": [["var": "long"], "b"]], ["var": "long"]]]
        #expect(walk.run(rule, at: JSONPointer()).value == false)
        let search: JSONValue = ["in": [["cat": [text(32_000), "b"]], ["var": "long"]]]
        #expect(walk.run(search, at: JSONPointer()).value == nil)
    }
}

/// Rules and contexts that make sense to nobody.
struct RandomRules {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ mixed >> 31) % UInt64(count))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(elements.count)] }

    private static let literals: [JSONValue] = [
        nil, true, false, 0, 1, -3, 7, 2.5, 1.0, "", "0", "a", "10", "9", "é", "1.2.3", "beta", "x.y", [], [1, "a"],
        [[1], nil], ["k": 1, "l": 2],
    ]
    private static let paths: [JSONValue] = [
        "", "targetingKey", "a", "b", "list", "list.1", "deep.x", "deep.y.0", "missing", "$flagd.timestamp", 0, nil,
        "accumulator", "current",
    ]

    mutating func unit() -> String? { pick([nil, "", "u-1", "u-2"]) }

    mutating func attributes() -> JSONObject {
        var attributes: JSONObject = ["deep": ["x": pick(Self.literals), "y": [pick(Self.literals)]]]
        attributes["a"] = pick(Self.literals)
        attributes["b"] = pick(Self.literals)
        attributes["list"] = .array([pick(Self.literals), pick(Self.literals), pick(Self.literals)])
        return attributes
    }

    mutating func rule(depth: Int) -> JSONValue {
        guard depth > 0, next(5) > 0 else {
            return next(2) == 0 ? ["var": pick(Self.paths)] : pick(Self.literals)
        }
        let known = pick(Operator.allCases.filter { $0 != .reference })
        if known == .fractional { return split(depth) }
        let arity = known.arity
        let count = next(8) == 0 ? next(5) : arity.lowerBound + next(min(arity.upperBound, 4) - arity.lowerBound + 1)
        let operands = (0..<count).map { _ in rule(depth: depth - 1) }
        if count == 1, next(3) == 0, operands[0].array == nil { return [known.rawValue: operands[0]] }
        return [known.rawValue: .array(operands)]
    }

    private mutating func split(_ depth: Int) -> JSONValue {
        var operands: [JSONValue] = next(2) == 0 ? [rule(depth: depth - 1)] : []
        for _ in 0...next(3) {
            let weight: JSONValue = next(4) == 0 ? ["var": "a"] : pick([1, 5, 30, -2, 4.0])
            operands.append(next(5) == 0 ? [rule(depth: 1)] : [rule(depth: 1), weight])
        }
        return ["fractional": .array(operands)]
    }
}
