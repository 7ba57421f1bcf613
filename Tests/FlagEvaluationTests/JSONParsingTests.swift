import FlagEvaluation
import Testing

@Suite struct `The JSON parser` {
    @Test(
        arguments: [
            ("null", .null), ("true", true), ("false", false), ("0", 0), ("-0", 0), ("17", 17),
            ("9223372036854775807", 9_223_372_036_854_775_807), ("-9223372036854775808", .integer(.min)),
            ("1.0", 1.0), ("-0.5", -0.5), ("1e2", 100.0), ("1E+2", 100.0), ("12e-1", 1.2), ("0e0", 0.0),
            ("1e-400", 0.0),
            ("5e-324", .float(.leastNonzeroMagnitude)), ("1.7976931348623157e308", 1.7976931348623157e308),
            ("0.1", 0.1),
            ("123456789012345678901.0", 123456789012345678901.0), ("9007199254740993.0", 9007199254740992.0),
            ("\"\"", ""), ("\"a\\n\\\"\\\\\\/\\b\\f\\r\\t\"", "a\n\"\\/\u{8}\u{C}\r\t"), ("\"\\u00e9\\u20AC\"", "é€"),
            ("\"\\ud83d\\ude00\"", "😀"), ("\"ä€😀\\n\u{7F}\"", "ä€😀\n\u{7F}"), (" \n\r\t[ ] ", []), ("{ }", [:]),
            ("[1,[2,[]],{}]", [1, [2, []], [:]]), (#"{"a":{"b":[true]},"":null}"#, ["a": ["b": [true]], "": nil]),
        ] as [(String, JSONValue)])
    func `reads what is JSON`(text: String, value: JSONValue) throws {
        #expect(try JSONValue(parsing: text) == value)
    }

    @Test(
        arguments: [
            ("", .malformed, 0), ("  ", .malformed, 2), ("nul", .malformed, 3), ("tru3", .malformed, 3),
            ("[1,]", .malformed, 3), ("[1 2]", .malformed, 3), ("[", .malformed, 1), ("{\"a\"", .malformed, 4),
            ("{\"a\":1,}", .malformed, 7), ("{a:1}", .malformed, 1), ("{\"a\" 1}", .malformed, 5),
            ("[1}", .malformed, 2),
            ("1 2", .malformed, 2), ("[]]", .malformed, 2), ("01", .malformed, nil), ("-", .malformed, nil),
            ("-01", .malformed, nil), ("+1", .malformed, 0), (".5", .malformed, 0), ("1.", .malformed, 2),
            ("1.e2", .malformed, 2), ("1e", .malformed, 2), ("1e+", .malformed, 3), ("NaN", .malformed, 0),
            ("Infinity", .malformed, 0), ("\"a", .malformed, 2), ("\"a\nb\"", .malformed, 2),
            ("\"\\x\"", .malformed, 1),
            ("\"\\u12g4\"", .malformed, 1), ("\"\\u0000\"", .malformed, 1), ("\"\u{0}\"", .malformed, 1),
            ("\u{FEFF}1", .malformed, 0), ("'a'", .malformed, 0), ("[1]x", .malformed, 3), ("\u{0}", .malformed, 0),
            ("\"\\ud800\"", .invalidUTF8, 1), ("\"\\ud800\\u0041\"", .invalidUTF8, 1), ("\"\\udc00\"", .invalidUTF8, 1),
            ("1e400", .numberOutOfRange, nil), ("-1e999999999999", .numberOutOfRange, nil),
            ("9223372036854775808", .numberOutOfRange, nil), ("-9223372036854775809", .numberOutOfRange, nil),
            ("123456789012345678901234567890", .numberOutOfRange, nil),
            (#"{"a":1,"a":2}"#, .duplicateKey, 7), (#"{"a":{"b":1},"b":2,"\u0061":3}"#, .duplicateKey, 19),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", .duplicateKey, 0),
        ] as [(String, JSONError.Code, Int?)])
    func `refuses everything else and says where`(text: String, code: JSONError.Code, offset: Int?) {
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == code)
        if let offset { #expect(error?.offset == offset) }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xE2, 0x82, 0x22], [0xC3, 0x5C],
        ] as [[UInt8]])
    func `refuses what is not UTF-8`(bytes: [UInt8]) {
        for prefix in ["\"", "\"\\n", "{\"abcdefghij"] {
            let error = #expect(throws: JSONError.self) {
                try JSONValue(parsing: Array(prefix.utf8) + bytes + Array("\":1}".utf8))
            }
            #expect(error?.code == .invalidUTF8)
        }
    }

    @Test func `holds the limits of depth, keys and strings, and not one less`() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        func keys(_ count: Int) -> String {
            "{" + (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",") + "}"
        }
        func code(_ text: String, _ limits: JSONLimits) -> JSONError.Code? {
            do {
                _ = try JSONValue(parsing: text, limits: limits)
                return nil
            } catch { return error.code }
        }
        #expect(code(nested(32), .context) == nil)
        #expect(code(nested(33), .context) == .tooDeep)
        #expect(code(nested(64), .flagFile) == nil)
        #expect(code(String(repeating: "[", count: 1_000_000), .flagFile) == .tooDeep)
        #expect(code(keys(1_000), .context) == nil)
        #expect(code(keys(1_001), .context) == .tooManyKeys)
        #expect(code("\"\(String(repeating: "x", count: 4_096))\"", .context) == nil)
        #expect(code("\"\(String(repeating: "x", count: 4_097))\"", .context) == .stringTooLong)
        #expect(code("{\"\(String(repeating: "x", count: 4_097))\":1}", .context) == .stringTooLong)
    }

    /// Small objects are searched, larger ones sorted: both on either side of the border.
    @Test(arguments: [2, 8, 31, 32, 33, 34, 300])
    func `finds a duplicate among any number of keys, wherever it stands`(count: Int) throws {
        let names = (0..<count).map { "key\($0)" }
        #expect(try JSONValue(parsing: object(names)).object?.count == count)
        for place in [0, count / 2, count - 1] {
            for other in [0, count / 2, count - 1] where other != place {
                var names = names
                names[place] = names[other]
                let error = #expect(throws: JSONError.self) { try JSONValue(parsing: object(names)) }
                #expect(error?.code == .duplicateKey)
            }
        }
    }

    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":{\"key0\":[]}" }.joined(separator: ",") + "}"
    }

    /// Every byte of a text removed, doubled or replaced: an answer or an error, never a crash.
    @Test func `survives texts that are broken in any place`() throws {
        let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\ud83d\ude00ä€",null],"b":{"c":true,"d":"0123456789"}}"#.utf8)
        var accepted = 0
        for position in text.indices {
            for byte in [0x00, 0x22, 0x2C, 0x30, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8?] + [nil] {
                for length in 0...1 {
                    var broken = text
                    broken.replaceSubrange(position..<(position + length), with: byte.map { [$0] } ?? [])
                    if (try? JSONValue(parsing: broken)) != nil { accepted += 1 }
                    if (try? JSONValue(parsing: Array(broken.prefix(position)))) != nil { accepted += 1 }
                }
            }
        }
        #expect(accepted > 0)
    }
}

@Suite struct `The JSON writer` {
    @Test(
        arguments: [
            (1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e21, "1e+21"), (.float(.leastNonzeroMagnitude), "5e-324"),
            (.float(.nan), "null"),
            (1, "1"), (true, "true"), (nil, "null"), ("a\"\\\n\r\t\u{1}/é😀", #""a\"\\\n\r\t\u0001/é😀""#),
            ([1, [], [:], [2.0]], "[1,[],{},[2.0]]"),
            (["b": 1, "a": ["d": nil, "c": ""]], #"{"b":1,"a":{"d":null,"c":""}}"#),
        ] as [(JSONValue, String)])
    func `keeps booleans, integers and floats apart`(value: JSONValue, text: String) {
        #expect(value.jsonText == text)
        var bytes = Array("x".utf8)
        value.write(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "x" + text)
    }

    @Test func `gives equal bytes for equal values in canonical form`() throws {
        let one = try JSONValue.of(#"{"b":[{"y":1,"x":2}],"a":1,"é":0,"Z":3,"aa":4}"#)
        let other = try JSONValue.of(#"{"Z":3,"a":1,"aa":4,"b":[{"x":2,"y":1}],"é":0}"#)
        #expect(one.canonicalJSON == other.canonicalJSON)
        #expect(String(decoding: one.canonicalJSON, as: UTF8.self) == other.jsonText)
    }

    @Test func `indents for people`() throws {
        let text = try JSONValue.of(#"{"a":[1,{}],"b":{}}"#).prettyJSONText
        #expect(text == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {}\n}")
    }

    @Test func `writes what the parser reads back`() throws {
        var random = SystemRandomNumberGenerator()
        func value(_ depth: Int) -> JSONValue {
            switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
            case 0: .null
            case 1: .bool(.random(using: &random))
            case 2: .integer(.random(in: .min ... .max, using: &random))
            case 3: .float(Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &random)))
            case 4: .float(Double(Int.random(in: -1000...1000, using: &random)) / 8)
            case 5: .string(String((0..<Int.random(in: 0...20)).map { _ in "ab\"\\\n€😀é/".randomElement() ?? "x" }))
            case 6: .array((0..<Int.random(in: 0...4)).map { _ in value(depth - 1) })
            default: .object(JSONObject((0..<Int.random(in: 0...40)).map { ("k\($0)", value(depth - 1)) }))
            }
        }
        for _ in 0..<300 {
            let value = value(3)
            #expect(try JSONValue(parsing: value.jsonText) == value)
            #expect(try JSONValue(parsing: value.prettyJSONText) == value)
        }
    }
}
