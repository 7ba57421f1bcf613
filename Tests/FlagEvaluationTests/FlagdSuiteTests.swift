import FlagEvaluation
import Foundation
import Testing

@Suite struct `flagd's evaluator suite` {
    @Test(.enabled(if: Suites.areNamed, "SIGNALBOX_SUITES names no folder")) func `passes in each of its scenarios`()
        throws
    {
        let folder = try #require(Suites.folder("flagd-testbed/evaluator"))
        let file = try FlagFile(json: Suites.json(folder.appendingPathComponent("flags/testkit-flags.json")))
        let flags = FlagSet(flags: file.flags, evaluators: file.evaluators, metadata: file.metadata)
        var passed = 0
        for url in try Suites.files(in: folder.appendingPathComponent("gherkin"), extension: "feature") {
            for scenario in Feature(parsing: try String(contentsOf: url, encoding: .utf8)).scenarios
            where scenario.tags.isDisjoint(with: ["@fractional-v1", "@fractional-v3"]) {
                var world = World(flags: flags)
                for step in scenario.steps { try world.take(step, of: "\(url.lastPathComponent): \(scenario.name)") }
                passed += 1
            }
        }
        #expect(passed == 125)
    }

    @Test(.enabled(if: Suites.areNamed, "SIGNALBOX_SUITES names no folder"))
    func `has sixty flags, all of which can be stored`() throws {
        let folder = try #require(Suites.folder("flagd-testbed/evaluator"))
        let file = try FlagFile(json: Suites.json(folder.appendingPathComponent("flags/testkit-flags.json")))
        #expect(file.flags.count == 60)
        #expect(
            file.warnings.map { "\($0.code.rawValue) \($0.path)" } == [
                "operator_misuse /flags/semver-invalid-operator-flag/targeting/sem_ver",
                "unresolved_reference /flags/ref-to-nonexistent-evaluator-flag/targeting/if/0/$ref",
                "operator_misuse /flags/starts-with-wrong-args-flag/targeting/starts_with",
                "operator_misuse /flags/ends-with-wrong-args-flag/targeting/ends_with",
                "operator_misuse /flags/fractional-negative-weight-flag/targeting/fractional/1/1",
                "operator_misuse /flags/semver-wrong-args-flag/targeting/sem_ver",
            ])
    }
}

/// What the steps of one scenario work on.
private struct World {
    let flags: FlagSet
    var type = ""
    var key = ""
    var fallback = JSONValue.null
    var targetingKey: String?
    var attributes = JSONObject()
    var value: JSONValue?
    var evaluation: Evaluation?
    var errorCode: String?

    init(flags: FlagSet) { self.flags = flags }

    mutating func take(_ step: Feature.Step, of scenario: String) throws {
        let text = step.text
        let comment = Comment(rawValue: "\(scenario): \(text) [\(key) \(JSONValue.object(attributes).jsonText)]")
        if text == "an evaluator" {
        } else if let match = text.wholeMatch(of: /an? (\w+)-flag with key "(.*?)" and a fallback value "(.*)"/) {
            (type, key) = (String(match.1), String(match.2))
            fallback = try Self.cast(String(match.3), type)
        } else if let match = text.wholeMatch(of: /a context containing a targeting key with value "(.*)"/) {
            targetingKey = String(match.1)
        } else if let match = text.wholeMatch(
            of: /a context containing a key "(.*?)", with type "(.*?)" and with value "(.*)"/)
        {
            attributes[String(match.1)] = try Self.cast(String(match.3), String(match.2))
        } else if let match = text.wholeMatch(
            of: /a context containing a nested property with outer key "(.*?)" and inner key "(.*?)", with value "(.*)"/
        ) {
            var outer = attributes[String(match.1)]?.object ?? JSONObject()
            outer[String(match.2)] = .string(String(match.3))
            attributes[String(match.1)] = .object(outer)
        } else if text == "the flag was evaluated with details" {
            evaluate()
        } else if let match = text.wholeMatch(of: /the resolved details value should be "(.*)"/) {
            #expect(try value == Self.cast(String(match.1), type), comment)
        } else if let match = text.wholeMatch(of: /the reason should be "(.*)"/) {
            #expect(evaluation?.reason.rawValue == String(match.1), comment)
        } else if let match = text.wholeMatch(of: /the error-code should be "(.*)"/) {
            #expect(errorCode == String(match.1), comment)
        } else if text == "the resolved metadata is empty" {
            #expect(evaluation?.metadata.isEmpty == true, comment)
        } else if text == "the resolved metadata should contain" {
            for row in step.table.dropFirst() {
                #expect(try evaluation?.metadata[row[0]] == Self.cast(row[2], row[1]), comment)
            }
        } else {
            Issue.record("no such step: \(text)")
        }
    }

    /// Evaluates as a client does, which knows what type it asked for.
    private mutating func evaluate() {
        let context = EvaluationContext(targetingKey: targetingKey, attributes: attributes)
        let evaluation = flags.evaluation(of: key, for: context, at: 1_700_000_000)
        self.evaluation = evaluation
        if let index = flags.index(ofKey: key) {
            let explained = flags.explanation(at: index, for: context, at: 1_700_000_000).outcome
            let outcome = flags.outcome(at: index, for: context, at: 1_700_000_000, using: EvaluationScratch())
            #expect(explained == outcome, "the explanation of \(key) disagrees")
        }
        errorCode = evaluation.errorCode?.rawValue
        value = evaluation.value ?? fallback
        let fits =
            switch (type, evaluation.value) {
            case (_, nil), ("Boolean", .bool), ("String", .string), ("Integer", .integer), ("Object", .object): true
            case ("Float", .float), ("Float", .integer): true
            default: false
            }
        if !fits { (errorCode, value) = ("TYPE_MISMATCH", fallback) }
    }

    private static func cast(_ text: String, _ type: String) throws -> JSONValue {
        switch type {
        case "Integer": .integer(try #require(Int64(text)))
        case "Float": .float(try #require(Double(text)))
        case "Boolean": .bool(["true", "1", "yes", "t"].contains(text.lowercased()))
        case "Object": try .of(text.replacingOccurrences(of: "\\\"", with: "\""))
        default: .string(text)
        }
    }
}
