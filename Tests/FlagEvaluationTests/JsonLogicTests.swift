import FlagEvaluation
import Foundation
import Testing

@Suite struct `JsonLogic` {
    @Test(.enabled(if: Suites.areNamed, "SIGNALBOX_SUITES names no folder"))
    func `gives what the public suite says in each of its cases`() throws {
        let folder = try #require(Suites.folder("jsonlogic"))
        var count = 0
        for test in try #require(Suites.json(folder.appendingPathComponent("tests.json")).array) {
            guard let test = test.array else { continue }
            count += 1
            let data = try EvaluationContext.of(test[1].jsonText)
            let result = try Rule(test[0]).value(for: data, at: 0)
            #expect(
                result.withPlainNumbers == test[2].withPlainNumbers,
                "\(test[0].jsonText) of \(test[1].jsonText)")
        }
        #expect(count == 277)
    }

    @Test(arguments: [
        (#"{"==":[null,0]}"#, "false"),
        (#"{"==":[[],false]}"#, "true"),
        (#"{"==":[[1,2],"1,2"]}"#, "true"),
        (#"{"==":["1e3",1000]}"#, "true"),
        (#"{"==":["",0]}"#, "true"),
        (#"{"===":[1,1.0]}"#, "true"),
        (#"{"===":[[1,[2]],[1.0,[2]]]}"#, "true"),
        (#"{"==":[{"a":1,"b":[2]},{"b":[2],"a":1}]}"#, "true"),
        (#"{"===":[[1],[1,2]]}"#, "false"),
        (#"{"in":[[1],[[2],[1]]]}"#, "true"),
        (#"{"<":["10","9"]}"#, "true"),
        (#"{"<":["10",9]}"#, "false"),
        (#"{"<":["abc",5]}"#, "false"),
        (#"{">=":["abc",5]}"#, "false"),
        (#"{"<":[null,1]}"#, "true"),
        (#"{"!!":[{}]}"#, "true"),
        (#"{"!!":["0"]}"#, "true"),
        (#"{"all":[[],true]}"#, "false"),
        (#"{"none":[[],true]}"#, "true"),
        (#"{"and":[]}"#, "null"),
        (#"{"and":[1,"",3]}"#, "\"\""),
        (#"{"or":[0,null]}"#, "null"),
        (#"{"a":1,"b":{"+":[1,1]}}"#, #"{"a":1,"b":{"+":[1,1]}}"#),
        (#"{"in":[1,["1"]]}"#, "false"),
        (#"{"in":[null,"a null b"]}"#, "true"),
    ])
    func `compares and decides as JavaScript does`(rule: String, result: String) throws {
        #expect(try apply(rule) == result)
    }

    @Test(arguments: [
        (#"{"+":[9223372036854775807,1]}"#, "9.223372036854775807e+18"),
        (#"{"-":[-9223372036854775807,5]}"#, "-9.223372036854775807e+18"),
        (#"{"*":[3037000500,3037000500]}"#, "9.223372037000250000e+18"),
        (#"{"/":[7,2]}"#, "3.5"),
        (#"{"/":[8,2]}"#, "4"),
        (#"{"%":[-7,3]}"#, "-1"),
        (#"{"/":[1,0]}"#, "null"),
        (#"{"%":[1,0]}"#, "null"),
        (#"{"/":[-9223372036854775808,-1]}"#, "9.223372036854776e+18"),
        (#"{"%":[-9223372036854775808,-1]}"#, "0"),
        (#"{"-":[-9223372036854775808]}"#, "9.223372036854776e+18"),
        (#"{"+":["x",1]}"#, "null"),
        (#"{"max":[]}"#, "null"),
        (#"{"min":["3",2.5]}"#, "2.5"),
        (#"{"+":[]}"#, "0"),
    ])
    func `calculates with whole numbers as long as they fit`(rule: String, result: String) throws {
        #expect(try Double(apply(rule)) == Double(result))
    }

    @Test(arguments: [
        (#"{"cat":[1.0,"|",0.1,"|",1e21,"|",1e-7,"|",123456789012345680000,"|",-0.00001]}"#)
    ])
    func `writes numbers as JavaScript does`(rule: String) throws {
        #expect(throws: JSONError.self) { try apply(rule) }
        let rule = rule.replacing("123456789012345680000", with: "123456789012345680000.0")
        #expect(try apply(rule) == #""1|0.1|1e+21|1e-7|123456789012345680000|-0.00001""#)
    }

    @Test(arguments: [
        (#"{"cat":["a",null,[1,null,[2,3]],true,{}]}"#, "\"a1,,2,3true[object Object]\""),
        (#"{"substr":["äöü€😀x",-3,2]}"#, "\"€😀\""),
        (#"{"substr":["abc",5]}"#, "\"\""),
        (#"{"substr":["abc",-9,2]}"#, "\"ab\""),
        (#"{"substr":["abc",0,-9]}"#, "\"\""),
        (#"{"substr":["abc","x"]}"#, "\"abc\""),
        (#"{"substr":["abc",1e300,-1e300]}"#, "\"\""),
    ])
    func `handles text by characters`(rule: String, result: String) throws {
        #expect(try apply(rule) == result)
    }

    @Test(arguments: [
        (#"{"var":["a.b","x"]}"#, #"{"a":{"b":null}}"#, "\"x\""),
        (#"{"var":["a.b","x"]}"#, #"{"a":{}}"#, "\"x\""),
        (#"{"var":["a.b",{"var":"c"}]}"#, #"{"c":4}"#, "4"),
        (#"{"var":{"cat":["a",".","1"]}}"#, #"{"a":[5,6]}"#, "6"),
        (#"{"var":"a.01"}"#, #"{"a":[5,6]}"#, "6"),
        (#"{"var":"a.99999999999999999999"}"#, #"{"a":[5,6]}"#, "null"),
        (#"{"var":"a."}"#, #"{"a":{"":7}}"#, "7"),
        (#"{"missing":["a","b","c"]}"#, #"{"a":"","b":0,"c":null}"#, #"["a","c"]"#),
        (
            #"{"map":[{"var":"a"},{"map":[{"var":"x"},{"+":[{"var":""},1]}]}]}"#, #"{"a":[{"x":[1]},{"x":[2,3]}]}"#,
            "[[2],[3,4]]"
        ),
        (
            #"{"reduce":[{"var":"a"},{"merge":[{"var":"accumulator"},[{"var":"current"}]]},[]]}"#,
            #"{"a":[1,[2],{"b":3}]}"#, #"[1,[2],{"b":3}]"#
        ),
        (#"{"filter":[{"var":"a"},{"var":["x",true]}]}"#, #"{"a":[{"x":0},{"y":1},5]}"#, #"[{"y":1},5]"#),
        (#"{"map":[{"var":"a"},{"var":"$flagd.timestamp"}]}"#, #"{"a":[1]}"#, "[null]"),
    ])
    func `follows paths through objects, arrays and loops`(rule: String, data: String, result: String) throws {
        #expect(try apply(rule, to: data) == result)
    }

    @Test func `sees the injected names whatever the context says`() throws {
        let data = #"{"$flagd":{"timestamp":5,"flagKey":"no"},"$flagdx":1}"#
        #expect(try apply(#"{"var":"$flagd.timestamp"}"#, to: data, at: 7) == "7")
        #expect(try apply(#"{"var":{"cat":["$flagd",".timestamp"]}}"#, to: data, at: 7) == "7")
        #expect(try apply(#"{"var":"$flagd"}"#, to: data, at: 7) == #"{"flagKey":null,"timestamp":7}"#)
        #expect(try apply(#"{"var":["$flagd.other",3]}"#, to: data) == "3")
        #expect(try apply(#"{"var":"$flagdx"}"#, to: data) == "1")
    }
}

@Suite struct `A rule that would never end` {
    /// Six elements, seven levels deep, each of them looped over.
    @Test func `is given up after a number of steps`() throws {
        let data = (0..<7).reduce("1") { inner, _ in "[\(repeatElement(inner, count: 6).joined(separator: ","))]" }
        let document = JSONDocument()
        try Array(data.utf8).withUnsafeBytes { try document.parse($0, limits: .flagFile) }
        let context = EvaluationContext(document, at: document.root)
        let loops = { (depth: Int) in
            (0..<depth).reduce(#"{"var":""}"#) { rule, _ in #"{"all":[{"var":""},\#(rule)]}"# }
        }
        #expect(try Rule(.of(loops(6))).value(for: context, at: 0) == true)
        #expect(try Rule(.of(loops(7))).value(for: context, at: 0) == .null)
    }

    @Test(arguments: [
        #"{"reduce":[{"var":"a"},{"cat":[{"var":"accumulator"},{"var":"accumulator"}]},"xxxxxxxx"]}"#,
        #"{"reduce":[{"var":"a"},[{"var":"accumulator"},{"var":"accumulator"}],[]]}"#,
        #"{"cat":{"reduce":[{"var":"a"},[{"var":"accumulator"},{"var":"accumulator"}],[]]}}"#,
        #"{"reduce":[{"var":"a"},{"merge":[{"var":"accumulator"},{"var":"accumulator"}]},[1,2,3]]}"#,
        #"{"reduce":[{"var":"a"},{"var":""},0]}"#,
    ])
    func `or too much memory`(rule: String) throws {
        let data = #"{"a":[\#(repeatElement("1", count: 500).joined(separator: ","))]}"#
        #expect(try apply(rule, to: data) == "null")
    }
}
