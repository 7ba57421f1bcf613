import FlagEvaluation
import Testing

@Suite struct `A flag set` {
    private func flags(
        _ targeting: String, variants: String = #"{"on":true,"off":false}"#, default name: String = "\"off\""
    ) throws -> FlagSet {
        let json = try JSONValue.of(
            "{\"state\":\"ENABLED\",\"variants\":\(variants),\"defaultVariant\":\(name),\"targeting\":\(targeting)}")
        let flag = try FlagDefinition(key: "f", json: json)
        return FlagSet(
            flags: [flag], evaluators: try JSONValue.of(#"{"small":{"==":[{"var":"plan"},"plus"]}}"#).object ?? [:])
    }

    private func outcome(_ flags: FlagSet, _ context: String = #"{"targetingKey":"u1","plan":"plus"}"#) throws -> String
    {
        let evaluation = flags.evaluation(of: "f", for: try .of(context), at: 1_700_000_000)
        #expect((evaluation.errorDetails == nil) == (evaluation.errorCode == nil))
        return [evaluation.variant ?? "-", evaluation.reason.rawValue, evaluation.errorCode?.rawValue]
            .compactMap { $0 }.joined(separator: " ")
    }

    @Test(
        arguments: [
            ("{}", "\"off\"", "off STATIC"),
            ("{}", "null", "- DEFAULT"),
            (#"{"if":[false,"on"]}"#, "\"off\"", "off DEFAULT"),
            (#"{"if":[false,"on"]}"#, "null", "- DEFAULT"),
            (#"{"if":[{"$ref":"small"},"on","off"]}"#, "\"off\"", "on TARGETING_MATCH"),
            (#"{"var":"missing"}"#, "\"off\"", "off DEFAULT"),
            (#"{"var":"plan"}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"if":[true,"nope"]}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"if":[true,1]}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"+":[1,1]}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"==":[1,1]}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"merge":[[]]}"#, "\"off\"", "- ERROR GENERAL"),
            (#"{"+":["x",1]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on",1]]}"#, "\"off\"", "on TARGETING_MATCH"),
            (#"{"fractional":[{"var":"missing"},["on",1]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on",0],["off",0]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on",-1],["off",{"-":[5]}]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on",0.5]]}"#, "\"off\"", nil),
            (#"{"fractional":[["on",{"/":[1,2]}]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on","1"]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[["on",{"+":[2147483647,1]}]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"fractional":[{"merge":["on",1]}]}"#, "\"off\"", "on TARGETING_MATCH"),
            (#"{"fractional":[{"var":"targetingKey"},[{"var":"x"},1]]}"#, "\"off\"", "off DEFAULT"),
            (#"{"$ref":"unknown"}"#, "\"off\"", "- ERROR PARSE_ERROR"),
            (#"{"if":[false,{"$ref":"unknown"}]}"#, "\"off\"", "- ERROR PARSE_ERROR"),
        ] as [(String, String, String?)])
    func `answers by the table of outcomes`(targeting: String, standard: String, expected: String?) throws {
        guard let expected else {
            #expect(throws: FlagError.self) { try flags(targeting, default: standard) }
            return
        }
        #expect(try outcome(flags(targeting, default: standard)) == expected)
    }

    @Test func `takes true and false for variants of that name`() throws {
        let variants = #"{"true":"yes","false":"no"}"#
        #expect(try outcome(flags(#"{"$ref":"small"}"#, variants: variants, default: "null")) == "true TARGETING_MATCH")
        #expect(
            try outcome(flags(#"{"!":{"$ref":"small"}}"#, variants: variants, default: "null"))
                == "false TARGETING_MATCH")
        #expect(
            try outcome(flags(#"{"if":[true,false]}"#, variants: variants, default: "null")) == "false TARGETING_MATCH")
    }

    @Test func `answers unknown and disabled flags`() throws {
        let flag = try FlagDefinition(
            key: "d", json: ["state": "DISABLED", "variants": ["a": 1], "defaultVariant": "a", "metadata": ["x": 1]])
        let set = FlagSet(flags: [flag], metadata: ["x": 0, "y": 2.0])
        let disabled = set.evaluation(of: "d", for: EvaluationContext(targetingKey: nil), at: 0)
        #expect(disabled.reason == .disabled && disabled.value == nil && disabled.variant == nil)
        #expect(disabled.metadata == ["x": 1, "y": 2.0])
        let unknown = set.evaluation(of: "e", for: EvaluationContext(targetingKey: nil), at: 0)
        #expect(
            unknown.errorCode == .flagNotFound && unknown.reason == .error && unknown.metadata == ["x": 0, "y": 2.0])
        let scratch = EvaluationScratch()
        for index in [-1, 1, .max] {
            let outcome = set.outcome(at: index, for: EvaluationContext(targetingKey: nil), at: 0, using: scratch)
            #expect(outcome.errorCode == .flagNotFound)
        }
    }

    @Test func `answers PARSE_ERROR for stored flags and cohorts that make no sense`() throws {
        let broken = FlagDefinition(key: "broken", stored: ["state": "ENABLED"])
        let fine = try FlagDefinition(
            key: "fine", json: ["state": "ENABLED", "variants": ["a": 1], "defaultVariant": "a"])
        func using(_ cohort: String) throws -> FlagDefinition {
            try FlagDefinition(
                key: cohort,
                json: [
                    "state": "ENABLED", "variants": ["a": 1], "targeting": ["if": [["$ref": .string(cohort)], "a"]],
                ])
        }
        // Each level names the one below twice, so that the twentieth has millions of parts.
        var evaluators: JSONObject = ["loop": ["!": ["$ref": "loop"]], "odd": ["what": 1], "c0": true]
        for level in 1...40 {
            let below: JSONValue = ["$ref": .string("c\(level - 1)")]
            evaluators["c\(level)"] = ["and": [below, below]]
        }
        let set = FlagSet(
            flags: [broken, fine, try using("loop"), try using("odd"), try using("c20"), try using("c8")],
            evaluators: evaluators)
        let codes = set.keys.map { set.evaluation(of: $0, for: EvaluationContext(targetingKey: nil), at: 0) }
            .map { $0.errorCode?.rawValue ?? $0.reason.rawValue }
        #expect(set.keys == ["broken", "c20", "c8", "fine", "loop", "odd"])
        #expect(codes == ["PARSE_ERROR", "PARSE_ERROR", "TARGETING_MATCH", "STATIC", "PARSE_ERROR", "PARSE_ERROR"])
        let details = set.evaluation(of: "loop", for: EvaluationContext(targetingKey: nil), at: 0).errorDetails
        #expect(details == "The cohort \"loop\" names itself.")
    }

    @Test func `finds flags by key and keeps them in order`() throws {
        let keys = (0..<500).map { "flag-\($0)" }
        let flags = try keys.map { try FlagDefinition(key: $0, json: ["state": "ENABLED", "variants": ["a": 1]]) }
        let set = FlagSet(flags: flags.shuffled() + flags.prefix(3))
        #expect(
            set.count == 500 && set.keys == keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
        for (index, key) in set.keys.enumerated() { #expect(set.index(ofKey: key) == index && set[index].key == key) }
        #expect(set.index(ofKey: "flag-500") == nil && set.index(ofKey: "") == nil)
        #expect(FlagSet(flags: []).index(ofKey: "x") == nil)
    }

    @Test func `says which flags ask for the time`() throws {
        func readsClock(_ rule: String) throws -> Bool { try flags(rule).readsClock(at: 0) }
        #expect(try readsClock(#"{"if":[{">":[{"var":"$flagd.timestamp"},5]},"on"]}"#))
        #expect(try readsClock(#"{"if":[{"var":{"cat":["$flagd",".timestamp"]}},"on"]}"#))
        #expect(try !readsClock(#"{"if":[{"var":"$flagd.flagKey"},"on"]}"#))
        let set = try flags(#"{"if":[{">":[{"var":"$flagd.timestamp"},1699999999]},"on"]}"#)
        #expect(set.evaluation(of: "f", for: try .of("{}"), at: 1_700_000_000).variant == "on")
        #expect(set.evaluation(of: "f", for: try .of("{}"), at: 1_600_000_000).variant == "off")
    }

    @Test func `looks attributes up anew for every context, flag set and time`() throws {
        let document = JSONDocument()
        let scratch = EvaluationScratch()
        let sets = try ["plan", "tier"].map { try flags(#"{"if":[{"==":[{"var":"\#($0)"},"plus"]},"on","off"]}"#) }
        for (text, expected) in [
            (#"{"plan":"plus"}"#, ["on", "off"]), (#"{"tier":"plus"}"#, ["off", "on"]), ("{}", ["off", "off"]),
            (#"{"x":{"plan":1},"tier":"plus","plan":"plus"}"#, ["on", "on"]), ("null", ["off", "off"]),
        ] {
            try Array(text.utf8).withUnsafeBytes { try document.parse($0) }
            let context = EvaluationContext(document, at: document.root)
            for _ in 0..<2 {
                let names = sets.map { set in
                    set.outcome(at: 0, for: context, at: 0, using: scratch).variant.map { set[0].variants[$0].name }
                }
                #expect(names == expected)
            }
        }
    }

    @Test func `gives many threads at once what it gives one`() async throws {
        let set = try flags(#"{"if":[{"$ref":"small"},{"fractional":[["on",50],["off",50]]},"off"]}"#)
        @Sendable func answers() throws -> [Int?] {
            let scratch = EvaluationScratch()
            return (0..<500).map { unit in
                let context = EvaluationContext(targetingKey: "u\(unit)", attributes: ["plan": "plus"])
                return set.outcome(at: 0, for: context, at: 0, using: scratch).variant
            }
        }
        let expected = try answers()
        await withTaskGroup(of: [Int?].self) { group in
            for _ in 0..<8 { group.addTask { (try? answers()) ?? [] } }
            for await found in group { #expect(found == expected) }
        }
    }
}

@Suite struct `An evaluation context` {
    private func context(_ body: String) throws -> EvaluationContext? {
        let document = JSONDocument()
        try Array(body.utf8).withUnsafeBytes { try document.parse($0) }
        return EvaluationContext(body: document)
    }

    @Test(arguments: ["null", "{}", #"{"context":null}"#, #"{"context":{}}"#, #"{"other":1}"#])
    func `may be missing from a body`(body: String) throws {
        let context = try #require(try context(body))
        #expect(try Rule(.of(#"{"var":["plan","none"]}"#)).value(for: context, at: 0) == "none")
    }

    @Test(arguments: ["1", "[]", "\"x\"", #"{"context":5}"#, #"{"context":[{}]}"#])
    func `is an object`(body: String) throws { #expect(try context(body) == nil) }

    @Test func `is read from within a body`() throws {
        let context = try #require(try context(#"{"plan":"no","context":{"plan":"plus"}}"#))
        #expect(try Rule(.of(#"{"var":"plan"}"#)).value(for: context, at: 0) == "plus")
    }

    @Test func `can be made in a program`() throws {
        let context = EvaluationContext(targetingKey: "u\u{0}1", attributes: ["a": ["b": [1.5]], "targetingKey": "no"])
        #expect(try Rule(.of(#"{"var":"targetingKey"}"#)).value(for: context, at: 0) == "u\u{0}1")
        #expect(try Rule(.of(#"{"var":"a.b.0"}"#)).value(for: context, at: 0) == 1.5)
        let deep = (0..<200).reduce(JSONValue.null) { inner, _ in [inner] }
        let shallow = EvaluationContext(targetingKey: "u", attributes: ["deep": deep, "x": 1])
        #expect(try Rule(.of(#"{"cat":[{"var":"targetingKey"},{"var":"x"}]}"#)).value(for: shallow, at: 0) == "u")
    }
}

@Suite struct `A long list of members` {
    @Test(arguments: [3, 8, 9, 500])
    func `is searched as strictly as a short one`(count: Int) throws {
        let members: [JSONValue] = (0..<count).map { $0 % 3 == 0 ? .integer(Int64($0)) : .string("unit-\($0)") }
        let rule: JSONValue = ["if": [["in": [["var": "x"], .array(members)]], "yes", "no"]]
        func found(_ x: JSONValue?) throws -> Bool {
            let context = EvaluationContext(targetingKey: nil, attributes: x.map { ["x": $0] } ?? [:])
            return try Rule(rule).value(for: context, at: 0) == "yes"
        }
        for member in members { #expect(try found(member)) }
        if count > 8 {
            let withNull: JSONValue = ["in": [["var": "x"], .array(members + [nil])]]
            #expect(try Rule(withNull).matches(EvaluationContext(targetingKey: nil), at: 0))
        }
        #expect(try found(0.0) && !found("0") && !found(nil) && !found("unit-0") && !found([0]) && !found(false))
    }
}
