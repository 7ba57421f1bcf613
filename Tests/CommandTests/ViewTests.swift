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

@Suite struct `A route in words` {
    private static let plan =
        #""plan":{"steps":[{"cohort":"internal","share":50000},{"cohort":null,"share":5000},{"cohort":null,"share":500}]}"#

    @Test(arguments: [
        (#""stage":"notStarted","status":"active","step":0"#, "notStarted"),
        (#""stage":"partialRollout","status":"active","step":1"#, "partialRollout, step 1 of 3: 50% of internal"),
        (
            #""stage":"partialRollout","status":"held","step":3"#,
            "partialRollout, step 3 of 3: 5% of everybody, and 50% of internal, held"
        ),
        (#""stage":"partialRollout","status":"active","step":9"#, "partialRollout, step 9 of 3"),
        (
            #""stage":"partialRollout","status":"active","step":-9223372036854775808"#,
            "partialRollout, step -9223372036854775808 of 3"
        ),
        (
            #""stage":"partialRollout","status":"rolledBack","step":0,"rolledBackFrom":"oldDisabled""#,
            "partialRollout, step 0 of 3, rolled back from oldDisabled: new journeys get legacy"
        ),
        (
            #""stage":"defaultNew","status":"rolledBack","step":0,"rolledBackFrom":"defaultNew""#,
            "defaultNew, rolled back: new journeys get legacy"
        ),
        (#""stage":"compatible","status":"island","step":0"#, "compatible, an island: it stays legacy"),
    ])
    func `says stage, step and status`(members: String, position: String) throws {
        let route = try JSONValue(parsing: "{\(members),\(Self.plan)}")
        #expect(RouteView(route: route).position == position)
    }

    @Test(arguments: [
        ("[null,10000]", "10% of everybody"), ("[null,100000]", "everybody"), (#"["staff",100000]"#, "all of staff"),
        (#"["staff",100000],[null,10000]"#, "10% of everybody, and all of staff"),
        (#"["staff",50000],[null,50000]"#, "50% of everybody"), ("[null,0]", "0% of everybody"),
        (#"["a",1000],["b",2000],[null,500]"#, "0.5% of everybody, and 2% of b, and 1% of a"),
        (#"["a",1000],["b",2000]"#, "2% of b, and 1% of a"), (#"["a",100000],[null,100000]"#, "everybody"),
    ])
    func `says of a step what all steps up to it give`(steps: String, words: String) throws {
        let list = try JSONValue(parsing: "[\(steps)]").array ?? []
        let plan = list.map { step -> JSONValue in
            ["cohort": step.array?.first ?? .null, "share": step.array?.last ?? .null]
        }
        let view = RouteView(route: ["plan": ["steps": .array(plan)]])
        #expect(view.stepText(at: Int64(plan.count)) == words)
        #expect(view.stepText(at: Int64(plan.count) + 1) == nil)
    }
}

@Suite struct `A move` {
    private static let route =
        #"{"key":"trips.edit","stage":"partialRollout","status":"active","step":1,"plan":{"steps":["#
        + #"{"cohort":"internal","share":50000},{"cohort":null,"share":5000}]}}"#

    @Test func `says what the route is now, what comes next, and what journeys in flight keep`() throws {
        let service = try CannedService { asked in
            asked.method == "GET"
                ? (200, #"{"route":"trips.edit","live":{"legacy":12,"migrated":3},"builds":[]}"#)
                : (200, #"{"epoch":1,"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        #expect(
            Run("route advance trips.edit --reason r", at: service).output == """
                trips.edit is now partialRollout, step 1 of 2: 50% of internal. Revision 17.
                The next step gives 5% of everybody, and 50% of internal.
                Journeys in flight keep what they have: 12 legacy, 3 migrated.

                """)
    }

    @Test func `that repeats what holds says so`() throws {
        let service = try CannedService(200, #"{"revision":17,"changed":false,"route":\#(Self.route)}"#)
        defer { service.stop() }
        let run = Run("route hold trips.edit --reason r", at: service)
        #expect(run.status == .done)
        #expect(run.output.contains("Nothing changed: it was so already (revision 17)."))
        #expect(service.requests.count == 1)
    }

    @Test(arguments: ["held", "rolledBack"])
    func `that stops the ladder promises no next step`(status: String) throws {
        let route = Self.route.replacing("active", with: status)
        let service = try CannedService(200, #"{"revision":17,"changed":true,"route":\#(route)}"#)
        defer { service.stop() }
        #expect(!Run("route hold trips.edit --reason r", at: service).output.contains("next step"))
    }

    @Test func `stays done when the journeys in flight cannot be read`() throws {
        let service = try CannedService { asked in
            asked.method == "GET" ? (500, "") : (200, #"{"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        let run = Run("route advance trips.edit --reason r", at: service)
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
    }

    @Test func `that is only tried says how many units would change`() throws {
        let answer =
            #"{"dryRun":true,"unitsChanged":{"toMigrated":500,"toLegacy":0,"of":100000},"route":\#(Self.route)}"#
        let before =
            #"{"key":"trips.edit","stage":"compatible","status":"active","next":{"gates":["#
            + #"{"name":"plan","verdict":"pass"},{"name":"noStop","verdict":"unknown"}]}}"#
        let service = try CannedService { asked in (200, asked.method == "GET" ? before : answer) }
        defer { service.stop() }
        #expect(
            Run("route advance trips.edit --reason r --dry-run", at: service).output == """
                trips.edit would be partialRollout, step 1 of 2: 50% of internal, and is compatible.
                1 gate is unknown and would not block: noStop.
                Of 100000 simulated units without attributes (none is in a cohort that asks for one), 500 would change to \
                migrated and 0 to legacy.
                Nothing has changed.

                """)
    }

    @Test func `names the gates that it passed by`() throws {
        let service = try CannedService { asked in
            asked.target.hasSuffix("/gates")
                ? (
                    200,
                    #"{"gates":[{"name":"owner","verdict":"fail"},{"name":"parity","verdict":"unknown"},"#
                        + #"{"name":"plan","verdict":"pass"},{"name":"rehearsal","verdict":"unknown"}]}"#
                )
                : asked.method == "GET"
                    ? (500, "") : (200, #"{"revision":17,"changed":true,"route":\#(Self.route)}"#)
        }
        defer { service.stop() }
        let output = Run("route advance trips.edit --force --reason r", at: service).output
        #expect(output.contains("\nPassed by force: owner.\n"))
        #expect(output.contains("\n2 gates were unknown and did not block: parity, rehearsal.\n"))
        #expect(!Run("route hold trips.edit --reason r", at: service).output.contains("gate"))
    }

    @Test func `of everything lists the routes that it found`() throws {
        let routes = [("a", "held"), ("b", "active")].map { #"{"key":"\#($0)","status":"\#($1)"}"# }
        let service = try CannedService(
            200, #"{"revision":17,"changed":true,"routes":[\#(routes.joined(separator: ","))]}"#)
        defer { service.stop() }
        let output = Run("hold --all --reason r", at: service).output
        #expect(output.hasPrefix("1 route is held. Revision 17.\n"))
        #expect(output.contains("\na ") && !output.contains("\nb "))
        #expect(output.hasSuffix("\nLeft as they are, because this is not possible: b.\n"))
        #expect(Run("rollback --all --reason r", at: service).output.hasPrefix("There is no route"))
    }

    @Test(arguments: [
        (["rolledBack partialRollout"], "There is nothing to roll back: 1 route is rolled back already."),
        (
            ["rolledBack defaultNew", "rolledBack defaultNew", "active notStarted", "island compatible"],
            "There is nothing to roll back: 2 routes are rolled back already, 1 route has not started, 1 route is an island."
        ),
        ([], "There is nothing to roll back."),
        (
            ["active oldDeleted", "rolledBack compatible"],
            "No route can be rolled back: 1 route is rolled back already, 1 route has no legacy entry any more."
        ),
        (["active partialRollout"], "There is no route where this is possible."),
    ])
    func `back that moves nothing says why`(routes: [String], words: String) throws {
        let listed = routes.map { route in
            let words = route.split(separator: " ")
            return #"{"key":"a","status":"\#(words.first ?? "")","stage":"\#(words.last ?? "")"}"#
        }
        let service = try CannedService(
            200, #"{"changed":false,"moved":[],"routes":[\#(listed.joined(separator: ","))]}"#)
        defer { service.stop() }
        for line in ["rollback --all --reason r", "flow rollback f --reason r"] {
            #expect(Run(line, at: service).output == "\(words) Nothing changed.\n")
        }
    }

    @Test func `of a flow lists its routes`() throws {
        let gates = ["trips.edit", "orders.list"].map {
            #"{"route":"\#($0)","gates":[{"name":"parity","verdict":"unknown"}]}"#
        }
        let service = try CannedService { asked in
            asked.method == "GET"
                ? (200, #"{"routes":[\#(gates.joined(separator: ","))]}"#)
                : (200, #"{"revision":17,"changed":true,"routes":[\#(Self.route)]}"#)
        }
        defer { service.stop() }
        let output = Run("flow advance trips --reason r", at: service).output
        #expect(output.hasPrefix("1 route of trips is advanced. Revision 17.\n"))
        #expect(output.contains("\n1 gate was unknown and did not block: trips.edit parity.\n"))
        #expect(output.contains("\ntrips.edit "))
        #expect(service.requests.map(\.target) == ["/v1/gates", "/v1/flows/trips/advance"])
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
