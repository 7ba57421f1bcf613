import FlagEvaluation
import Testing

@testable import signalbox

@Suite struct `A table` {
    @Test func `has columns as wide as their widest cell, and no blanks at the end`() {
        var table = Table("A", "LONGER", "C")
        table.add("first", "x", "")
        table.add("b", "y", "z")
        #expect(
            table.text(coloured: false, ifEmpty: "") == """
                A      LONGER  C
                first  x
                b      y       z
                """)
    }

    @Test(arguments: [
        ("abc", 3), ("日本", 4), ("한글", 4), ("e\u{301}", 1), ("👍", 2), ("❤️", 2), ("", 0), ("ｆｕ", 4), ("\u{301}", 0),
    ])
    func `counts the columns that a text takes`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test func `stays straight below wide characters`() {
        var table = Table("A", "B")
        table.add("日本", "x")
        table.add("abcd", "y")
        #expect(table.text(coloured: false, ifEmpty: "") == "A     B\n日本  x\nabcd  y")
    }

    @Test func `that is to fit has its widest cells shortened, but not the first`() {
        var table = Table("KIND", "B", "C")
        table.add("rolled back in part", "日本日本日本", "abcdefghijkl", below: ["  → whole"])
        #expect(
            table.text(coloured: false, columns: 39, ifEmpty: "") == """
                KIND                 B         C
                rolled back in part  日本日…   abcdefg…
                  → whole
                """)
    }

    @Test(arguments: [
        ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本", 3, "日…"), ("日本", 2, "…"), ("ab", 0, ""), ("", 0, ""),
    ])
    func `shows that something was left out`(text: String, width: Int, shown: String) {
        #expect(text.shortened(to: width) == shown)
    }

    @Test(arguments: [
        ("one two three", 7, ["one two", "three"]), ("", 5, [""]), ("abcdef gh", 4, ["abcd", "ef", "gh"]),
        ("日本語 x", 4, ["日本", "語 x"]), ("日", 1, ["日"]), ("a  b", 9, ["a b"]),
    ])
    func `breaks lines between words where it can`(text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }

    @Test func `without rows says so`() {
        #expect(Table("A").text(coloured: true, ifEmpty: "Nothing.") == "Nothing.")
    }

    @Test func `is coloured only for a terminal, with the same widths`() {
        var table = Table("STATUS", "B")
        table.add("held", "x")
        let coloured = table.text(coloured: true, ifEmpty: "")
        #expect(coloured.contains("\u{1B}[33mheld\u{1B}[0m    x"))
        #expect(!table.text(coloured: false, ifEmpty: "").contains("\u{1B}"))
    }
}

@Suite struct `A refusal` {
    @Test func `names each gate and what would make it pass`() throws {
        let body = """
            {"error":{"code":"gate_not_met","message":"trips.edit may not advance to compatible","details":{
            "route":"trips.edit","move":"compatible","gates":[
            {"name":"owner","isHard":false,"verdict":"pass","reason":"","remedy":"x"},
            {"name":"bothRenderers","isHard":true,"verdict":"fail","reason":"no build has both",
            "remedy":"signalbox build register app:NUMBER --route trips.edit=legacy,migrated"},
            {"name":"rehearsal","isHard":false,"verdict":"unknown","reason":"no evidence","remedy":""}]}}}
            """
        let service = try CannedService(409, body)
        defer { service.stop() }
        #expect(
            Run("route advance trips.edit --reason r", at: service).errors == """
                signalbox: gate_not_met: trips.edit may not advance to compatible
                  trips.edit to compatible:
                  pass     owner
                  fail     bothRenderers (hard)  no build has both
                           → signalbox build register app:NUMBER --route trips.edit=legacy,migrated
                  unknown  rehearsal             no evidence

                """)
    }

    @Test func `of a flow names the gates of each route`() throws {
        let gates = #""gates":[{"name":"owner","isHard":false,"verdict":"fail","reason":"r","remedy":"m"}]"#
        let routes = ["a", "b"].map { #"{"route":"\#($0)","move":"compatible",\#(gates)}"# }
        let details = #"{"route":"a","move":"compatible",\#(gates),"routes":[\#(routes.joined(separator: ","))]}"#
        let service = try CannedService(409, #"{"error":{"code":"c","message":"m","details":\#(details)}}"#)
        defer { service.stop() }
        let lines = Run("flow advance f --reason r", at: service).errors.split(separator: "\n").map(String.init)
        let each = ["  fail     owner  r", "           → m"]
        #expect(lines == ["signalbox: c: m", "  a to compatible:"] + each + ["  b to compatible:"] + each)
    }

    @Test(arguments: [
        (#"{"legal":["advance","hold"]}"#, "  legal: advance, hold\n"), (#"{"serverTime":5}"#, "  serverTime: 5\n"),
        (#"{"at":{"x":1}}"#, "  at: {\"x\":1}\n"), (#""text""#, "  text\n"), ("null", ""), (#"{"a":null}"#, ""),
    ])
    func `shows its details`(details: String, lines: String) throws {
        let service = try CannedService(409, #"{"error":{"code":"c","message":"m","details":\#(details)}}"#)
        defer { service.stop() }
        #expect(Run("route hold a --reason r", at: service).errors == "signalbox: c: m\n" + lines)
    }

    @Test(arguments: ["", "{}", "[]", #"{"error":"x"}"#, "<html>"])
    func `without a known form still says which status came`(body: String) throws {
        let service = try CannedService(502, body)
        defer { service.stop() }
        let run = Run("route list", at: service)
        #expect(run.errors == "signalbox: http_502: the service answered with status 502\n")
    }

    @Test func `cannot steer the terminal`() throws {
        let service = try CannedService(409, #"{"error":{"code":"c","message":"a\u001b[2Jb\u009bc\u202ed"}}"#)
        defer { service.stop() }
        #expect(Run("route list", at: service).errors == "signalbox: c: a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\n")
    }
}

@Suite struct `Human output` {
    /// Whatever is missing or of another type, there is an answer and no trap.
    @Test(arguments: [
        "{}", "[]", "null", "1", #"{"routes":[1,{},null],"flows":[{}],"choices":[],"live":1,"plan":{"steps":[{}]}}"#,
    ])
    func `comes of any JSON`(body: String) throws {
        let service = try CannedService(200, body)
        defer { service.stop() }
        for line in [
            "status", "route list", "route show a", "route gates a", "route journeys a", "route advance a --reason r",
            "flow list", "flow show a", "flag list", "flag show a", "cohort list", "build list", "build show a:1",
            "key list", "audit list", "flow hold a --reason r", "hold --all --reason r",
        ] {
            let run = Run(line, at: service)
            #expect(run.status == .done, "\(line)")
            #expect(run.output.count > 1, "\(line)")
        }
    }
}
