import FlagEvaluation
import Foundation
import Testing

@Suite struct `A flag definition` {
    private func flag(_ members: String, targeting: String? = nil) throws -> FlagDefinition {
        let rule = targeting.map { ",\"targeting\":\($0)" } ?? ""
        return try FlagDefinition(
            key: "f", json: .of("{\"state\":\"ENABLED\",\"variants\":{\"a\":1,\"b\":2.5}\(members)\(rule)}"),
            cohorts: ["known"])
    }

    @Test func `keeps everything as it came in`() throws {
        let json = try JSONValue.of(
            #"{"x-note":[1],"defaultVariant":"b","state":"DISABLED","variants":{"b":{},"a":{"k":1.0}},"targeting":{},"metadata":{"m":1.0}}"#
        )
        let flag = try FlagDefinition(key: "new-search", json: json)
        #expect(JSONValue.object(flag.json).jsonText == json.jsonText)
        #expect(flag.variants.map(\.name) == ["b", "a"] && flag.defaultVariant == 0)
        #expect(!flag.isEnabled && flag.targeting == nil && flag.metadata == ["m": 1.0] && flag.warnings.isEmpty)
    }

    @Test(
        arguments: [
            ("[]", .invalidType, ""),
            ("{}", .missingMember, ""),
            (#"{"state":"ENABLED"}"#, .missingMember, ""),
            (#"{"state":"enabled","variants":{"a":1}}"#, .invalidState, "/state"),
            (#"{"state":true,"variants":{"a":1}}"#, .invalidType, "/state"),
            (#"{"state":"ENABLED","variants":[]}"#, .invalidType, "/variants"),
            (#"{"state":"ENABLED","variants":{}}"#, .invalidVariants, "/variants"),
            (#"{"state":"ENABLED","variants":{"":1}}"#, .invalidVariants, "/variants/"),
            (#"{"state":"ENABLED","variants":{"a":null}}"#, .invalidType, "/variants/a"),
            (#"{"state":"ENABLED","variants":{"a/b":[1]}}"#, .invalidType, "/variants/a~1b"),
            (#"{"state":"ENABLED","variants":{"a":1,"b":"1"}}"#, .mixedVariantTypes, "/variants/b"),
            (#"{"state":"ENABLED","variants":{"a":true,"b":1}}"#, .mixedVariantTypes, "/variants/b"),
            (
                #"{"state":"ENABLED","variants":{"a":1},"defaultVariant":"b"}"#, .unknownDefaultVariant,
                "/defaultVariant"
            ),
            (#"{"state":"ENABLED","variants":{"a":1},"defaultVariant":""}"#, .unknownDefaultVariant, "/defaultVariant"),
            (#"{"state":"ENABLED","variants":{"a":1},"defaultVariant":1}"#, .invalidType, "/defaultVariant"),
            (#"{"state":"ENABLED","variants":{"a":1},"metadata":[]}"#, .invalidType, "/metadata"),
            (#"{"state":"ENABLED","variants":{"a":1},"metadata":{"x":null}}"#, .invalidType, "/metadata/x"),
            (#"{"state":"ENABLED","variants":{"a":1},"targeting":"a"}"#, .invalidType, "/targeting"),
            (#"{"state":"ENABLED","variants":{"a":1},"targeting":null}"#, .invalidType, "/targeting"),
        ] as [(String, FlagError.Code, String)])
    func `is refused for its structure, with a path`(json: String, code: FlagError.Code, path: String) throws {
        let json = try JSONValue.of(json)
        let error = #expect(throws: FlagError.self) { try FlagDefinition(key: "f", json: json) }
        #expect(error?.code == code && error?.path == path)
    }

    @Test(
        arguments: [
            (#"{"nope":[1]}"#, .unknownOperator, "/targeting/nope"),
            (#"{"if":[true,{"and":[{"log":1}]}]}"#, .unknownOperator, "/targeting/if/1/and/0/log"),
            (#"{"!":{"x~y":1}}"#, .unknownOperator, "/targeting/!/x~0y"),
            (#"{"fractional":[["a",2.5]]}"#, .decimalWeight, "/targeting/fractional/0/1"),
            (#"{"fractional":[["a",2147483647],["b"]]}"#, .weightSumTooLarge, "/targeting/fractional/1"),
            (
                #"{"fractional":[["a",9223372036854775807],["b",9223372036854775807]]}"#, .weightSumTooLarge,
                "/targeting/fractional/0"
            ),
            (#"{"fractional":[["a",1e300]]}"#, .decimalWeight, "/targeting/fractional/0/1"),
            (#"{"fractional":[[{"no":1}]]}"#, .unknownOperator, "/targeting/fractional/0/0/no"),
            (#"{"$ref":5}"#, .invalidType, "/targeting/$ref"),
        ] as [(String, FlagError.Code, String)])
    func `is refused for a rule without meaning`(rule: String, code: FlagError.Code, path: String) throws {
        let error = #expect(throws: FlagError.self) { try flag("", targeting: rule) }
        #expect(error?.code == code && error?.path == path)
    }

    @Test(arguments: [
        (#"{"if":[{"var":"x"},"a"]}"#, []), (#"{"if":[{"var":"x"},"a",null]}"#, []),
        (#"{"if":[{"var":"x"},"c"]}"#, ["/targeting/if/1"]),
        (
            #"{"if":["c","a",5,"b",{"?:":[true,"c",{"fractional":[["a"],["d"]]}]}]}"#,
            ["/targeting/if/4/?:/1", "/targeting/if/4/?:/2/fractional/1/0"]
        ),
        (#"{"if":"c"}"#, ["/targeting/if"]), (#"{"if":[true,true]}"#, ["/targeting/if/1"]),
        (#"{"if":[true,7,[]]}"#, ["/targeting/if/1", "/targeting/if/2"]),
        (#"{"fractional":[{"var":"y"},["a",1],["c",1]]}"#, ["/targeting/fractional/2/0"]),
        (#"{"or":["c",{"var":"x"}]}"#, []), (#"{"$ref":"known"}"#, []),
    ])
    func `is stored with warnings where a literal result names no variant`(rule: String, paths: [String]) throws {
        let warnings = try flag("", targeting: rule).warnings
        #expect(warnings == paths.map { FlagWarning(path: $0, code: .unknownVariant) })
        let flags = FlagSet(flags: [try flag("", targeting: rule)])
        if paths == ["/targeting/if"] {
            #expect(flags.evaluation(of: "f", for: EvaluationContext(targetingKey: "u"), at: 0).errorCode == .general)
        }
    }

    @Test(arguments: [
        (#"{"fractional":[["a",2.0],["b",2147483645]]}"#, []),
        (#"{"fractional":[["a",-5],["b"]]}"#, ["operator_misuse /targeting/fractional/0/1"]),
        (
            #"{"fractional":["x",["a","5"]]}"#,
            ["operator_misuse /targeting/fractional/0", "operator_misuse /targeting/fractional/1/1"]
        ),
        (
            #"{"fractional":[["a",1,2],[]]}"#,
            ["operator_misuse /targeting/fractional/0", "operator_misuse /targeting/fractional/1"]
        ),
        (#"{"fractional":[]}"#, ["operator_misuse /targeting/fractional"]),
        (#"{"fractional":{"var":"x"}}"#, ["operator_misuse /targeting/fractional"]),
        (#"{"starts_with":[{"var":"x"},0]}"#, ["operator_misuse /targeting/starts_with"]),
        (#"{"ends_with":"x"}"#, ["operator_misuse /targeting/ends_with"]),
        (#"{"sem_ver":[{"var":"x"},"*","1.0.0"]}"#, ["operator_misuse /targeting/sem_ver"]),
        (#"{"sem_ver":[{"var":"x"},"=","1.0.0.0"]}"#, ["operator_misuse /targeting/sem_ver"]),
        (#"{"sem_ver":[1.2,"^","v1"]}"#, []),
        (#"{"var":"$flagd.other"}"#, ["operator_misuse /targeting/var"]),
        (#"{"==":[1]}"#, ["operator_misuse /targeting/=="]),
        (#"{"if":[{"$ref":"known"},{"$ref":"other"}]}"#, ["unresolved_reference /targeting/if/1/$ref"]),
        (#"{"a":1,"nope":2}"#, ["unknown_variant /targeting"]),
    ])
    func `is stored with warnings where operators are misused`(rule: String, warnings: [String]) throws {
        #expect(try flag("", targeting: rule).warnings.map { "\($0.code.rawValue) \($0.path)" } == warnings)
    }

    @Test func `may be nested in sixty-four levels`() throws {
        func rule(_ operations: Int) -> String {
            String(repeating: #"{"!":["#, count: operations) + "1" + String(repeating: "]}", count: operations)
        }
        // The flag's own object is one level.
        #expect(try flag("", targeting: rule(31)).warnings.isEmpty)
        let deep = try JSONValue(parsing: rule(40), limits: JSONLimits(depth: 100, keys: 100, stringBytes: 100))
        let error = #expect(throws: FlagError.self) {
            try FlagDefinition(
                key: "f", json: ["state": "ENABLED", "variants": ["a": 1], "targeting": deep])
        }
        #expect(error?.code == .tooDeep)
    }

    @Test(arguments: ["", "-a", ".a", "a b", "ä", "a/b", String(repeating: "a", count: 129)])
    func `has a key of the common form`(key: String) {
        let error = #expect(throws: FlagError.self) {
            try FlagDefinition(key: key, json: ["state": "ENABLED", "variants": ["a": 1]])
        }
        #expect(error?.code == .invalidKey)
    }
}

@Suite struct `A flag file` {
    @Test func `may list its flags as an object or as an array`() throws {
        let map = try FlagFile(
            json: .of(
                #"{"flags":{"b":{"state":"ENABLED","variants":{"x":1}},"a":{"state":"DISABLED","variants":{"y":""}}},"metadata":{"v":1}}"#
            ))
        let array = try FlagFile(
            json: .of(
                #"{"flags":[{"key":"b","state":"ENABLED","variants":{"x":1}},{"key":"a","state":"DISABLED","variants":{"y":""}}],"metadata":{"v":1}}"#
            ))
        #expect(map == array && map.flags.map(\.key) == ["b", "a"] && map.metadata == ["v": 1])
    }

    @Test(
        arguments: [
            (#"[]"#, .invalidType, ""),
            (#"{}"#, .missingMember, ""),
            (#"{"flags":1}"#, .invalidType, "/flags"),
            (#"{"flags":{"a":{}}}"#, .missingMember, "/flags/a"),
            (#"{"flags":{"a b":{"state":"ENABLED","variants":{"x":1}}}}"#, .invalidKey, "/flags/a b"),
            (#"{"flags":[{"state":"ENABLED","variants":{"x":1}}]}"#, .missingMember, "/flags/0"),
            (
                #"{"flags":[{"key":"a","state":"ENABLED","variants":{"x":1}},{"key":"a"}]}"#, .duplicateKey,
                "/flags/1/key"
            ),
            (#"{"flags":{},"$evaluators":[]}"#, .invalidType, "/$evaluators"),
            (#"{"flags":{},"$evaluators":{"a":{"if":[{"no":1}]}}}"#, .unknownOperator, "/$evaluators/a/if/0/no"),
            (#"{"flags":{},"$evaluators":{"a":true}}"#, .invalidType, "/$evaluators/a"),
            (#"{"flags":{},"$evaluators":{"a":{"$ref":"a"}}}"#, .cohortCycle, "/$evaluators/a"),
            (
                #"{"flags":{},"$evaluators":{"z":{"!":{"$ref":"a"}},"a":{"and":[1,{"$ref":"b"}]},"b":{"or":[{"$ref":"z"}]}}}"#,
                .cohortCycle, "/$evaluators/z"
            ),
        ] as [(String, FlagError.Code, String)])
    func `is refused with a path`(json: String, code: FlagError.Code, path: String) throws {
        let json = try JSONValue.of(json)
        let error = #expect(throws: FlagError.self) { try FlagFile(json: json) }
        #expect(error?.code == code && error?.path == path)
    }

    @Test(.enabled(if: Suites.areNamed, "SIGNALBOX_SUITES names no folder"))
    func `of the public schema suite is accepted or refused as the suite says`() throws {
        let folder = try #require(Suites.folder("flagd-schemas/test"))
        for name in ["flagd/positive", "flags/positive"] {
            for file in try Suites.files(in: folder.appendingPathComponent(name), extension: "json") {
                let flags = try FlagFile(json: Suites.json(file))
                #expect(!flags.flags.isEmpty, "\(file.lastPathComponent)")
            }
        }
        // A list of flags is refused by providers, and read by flagd and by us.
        for file in try Suites.files(in: folder.appendingPathComponent("flags/negative"), extension: "json")
        where file.lastPathComponent != "with-array-flags.json" {
            let json = try Suites.json(file)
            let error = #expect(throws: FlagError.self, "\(file.lastPathComponent)") { try FlagFile(json: json) }
            #expect(error?.path.hasPrefix("/") == true)
        }
    }

    @Test(.enabled(if: Suites.areNamed, "SIGNALBOX_SUITES names no folder"))
    func `of the public targeting suite is refused or warned of as it must be`() throws {
        let folder = try #require(Suites.folder("flagd-schemas/test/targeting"))
        // The suite has no variants, so that its results name none.
        func warnings(_ rule: JSONValue) throws -> [FlagWarning] {
            let json: JSONValue = ["state": "ENABLED", "variants": ["a": 1], "targeting": rule]
            return try FlagDefinition(key: "f", json: json, cohorts: ["some-ref"]).warnings
                .filter { $0.code != .unknownVariant }
        }
        for file in try Suites.files(in: folder.appendingPathComponent("positive"), extension: "json") {
            // Some files hold several rules under a name that is no operator.
            let rule = try Suites.json(file)
            for rule in rule["*"]?.array ?? [rule] { #expect(try warnings(rule).isEmpty, "\(file)") }
        }
        for file in try Suites.files(in: folder.appendingPathComponent("negative"), extension: "json") {
            let rule = try Suites.json(file)
            if file.lastPathComponent == "fractional-decimal-weighting.json" {
                #expect(throws: FlagError.self) { try warnings(rule) }
            } else {
                #expect(try warnings(rule).count == 1, "\(file.lastPathComponent)")
            }
        }
    }
}
