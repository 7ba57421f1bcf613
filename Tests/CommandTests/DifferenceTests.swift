import FlagEvaluation
import Foundation
import Testing

@testable import signalbox

@Suite struct `A list of differences` {
    /// What is said of a thing of which one member changed.
    private func lines(_ name: String, _ from: String, _ to: String) throws -> [String] {
        let values = try JSONValue(parsing: #"{"from":\#(from),"to":\#(to)}"#)
        let member = JSONValue.object(JSONObject([(name, values)]))
        let difference: JSONValue = ["path": "/routes/a", "kind": "changed", "members": member]
        return DifferenceReport.text([difference], ifEmpty: "").split(separator: "\n").map(String.init)
    }

    @Test(arguments: [
        (
            "plan", #"{"holdout":0,"steps":[{"cohort":"in","share":1},{"cohort":null,"share":5000}]}"#,
            #"{"holdout":0,"steps":[{"cohort":"in","share":1},{"cohort":null,"share":10000}]}"#,
            ["plan.steps[1].share 5000 → 10000"]
        ),
        (
            "definition", #"{"state":"DISABLED","variants":{}}"#, #"{"state":"ENABLED","variants":{"on":true}}"#,
            [#"definition.state "DISABLED" → "ENABLED""#, "definition.variants.on none → true"]
        ),
        ("owner", "null", #""o""#, [#"owner null → "o""#]),
        ("requires", #"["a"]"#, #"["a","b"]"#, [#"requires ["a"] → ["a","b"]"#]),
        (
            "renderers", #"{"a.b":1,"":{"c":2}}"#, #"{"a.b":2,"":{"c":3}}"#,
            [#"renderers[""].c 2 → 3"#, #"renderers["a.b"] 1 → 2"#]
        ),
    ])
    func `shows only what differs`(name: String, from: String, to: String, shown: [String]) throws {
        #expect(try lines(name, from, to) == ["~ /routes/a"] + shown.map { "    \($0)" })
    }

    @Test func `never shows both sides alike`() throws {
        let alike = String(repeating: "x", count: 5_000)
        let line = try #require(try lines("m", #""\#(alike)a""#, #""\#(alike)b""#).last)
        #expect(line == #"    m …xxxxxxxxxxa" → …xxxxxxxxxxb""#)
        let (first, second) = (#""\u202d""#, #""\u202e""#)
        #expect(try lines("m", first, second).last == #"    m "\u202d" → "\u202e""#)
    }

    @Test func `is bounded for each thing`() throws {
        let count = 3_000
        let sides = ["0", "1"].map { "[" + Array(repeating: $0, count: count).joined(separator: ",") + "]" }
        let shown = try lines("m", sides[0], sides[1])
        #expect(shown.count == 22)
        #expect(shown.last == "    and 2980 more")
        let name = String(repeating: "n", count: 5_000)
        let long = try lines(name, #""\#(String(repeating: "日", count: 5_000))""#, "0")
        #expect(long.allSatisfy { $0.columns < 200 }, "\(long)")
    }

    @Test func `cannot steer the terminal`() throws {
        let shown = try lines("a\u{1B}[2J\n\u{202E}", #""\u001b[2J\u2028\u009b""#, "1")
        #expect(shown == ["~ /routes/a", #"    ["a\u001b[2J\n\u202e"] "\u001b[2J\u2028\u009b" → 1"#])
    }

    @Test func `is what applying and rolling back tell`() throws {
        let service = try CannedService(
            200,
            #"{"revision":4,"changes":[{"path":"/flags/f","kind":"changed","members":{"definition":{"#
                + #""from":{"state":"DISABLED","v":1},"to":{"state":"ENABLED","v":1}}}}],"changesTotal":1}"#)
        defer { service.stop() }
        #expect(
            Run("config rollback --to 3 --reason r", at: service).output
                == "~ /flags/f\n    definition.state \"DISABLED\" → \"ENABLED\"\nRevision 4.\n")
    }
}

@Suite struct `A document in a file` {
    private static let members =
        #""signalbox":1,"environment":"e","epoch":1,"revision":1,"settings":{},"cohorts":{},"flows":{},"routes":{},"#
        + #""builds":{},"overrides":{},"conditions":{},"waivers":{},"flags":"#

    @Test func `may have as many members as the service takes`() throws {
        let service = try CannedService(200, "{\(Self.members){}}")
        defer { service.stop() }
        try withFolder { folder in
            let file = folder.appendingPathComponent("big.json")
            let count = JSONLimits.flagFile.keys
            let flag = "{" + (0...count).map { #""\#($0)":0"# }.joined(separator: ",") + "}"
            try Data("{\(Self.members){\"f\":\(flag)}}".utf8).write(to: file)
            #expect(Run("config diff \(file.path)", at: service).output == "+ /flags/f\n")
            #expect(Run("config apply \(file.path) --reason r", at: service).status == .done)
        }
    }

    @Test(arguments: [
        ("[1", "is not JSON: "), (#"{"a":1,"a":2}"#, "cannot be taken: "),
        (String(repeating: "[", count: 90) + String(repeating: "]", count: 90), "cannot be taken: "),
    ])
    func `is only said not to be JSON when it is not`(text: String, words: String) throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("a.json")
            try Data(text.utf8).write(to: file)
            let run = Run(["config", "diff", file.path, file.path], environment: [:])
            #expect(run.status == .usage)
            #expect(run.errors.hasPrefix("signalbox: usage: \(file.path) \(words)"), "\(run.errors)")
        }
    }
}
