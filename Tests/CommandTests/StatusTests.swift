import FlagEvaluation
import Testing

@testable import signalbox

@Suite struct `Status` {
    private static let dayAgo = 1_780_185_600_000
    private static let yearAgo = 1_748_736_000_000

    @Test(arguments: [
        (#""stage":"notStarted","status":"active","stageSince":0"#, []),
        (#""stage":"partialRollout","status":"active","owner":"o","stageSince":\#(dayAgo)"#, []),
        (#""stage":"partialRollout","status":"rolledBack","owner":"o","stageSince":0"#, ["rolled back"]),
        (#""stage":"defaultNew","status":"held","owner":"o","stageSince":0"#, ["held"]),
        (#""stage":"compatible","status":"active","owner":"o","stageSince":\#(yearAgo)"#, ["stuck"]),
        (
            #""stage":"partialRollout","status":"active","owner":"o","stageSince":\#(yearAgo),"stepSince":\#(dayAgo)"#,
            []
        ),
        (#""stage":"compatible","status":"active","stageSince":\#(dayAgo)"#, ["no owner"]),
        (
            #""stage":"defaultNew","status":"active","owner":"o","stageSince":\#(dayAgo),"deletion":{"date":"2026-05-31"}"#,
            ["overdue"]
        ),
        (
            #""stage":"defaultNew","status":"active","owner":"o","stageSince":\#(dayAgo),"deletion":{"date":"2026-06-01"}"#,
            []
        ),
        (#""stage":"oldDeleted","status":"active","owner":"o","stageSince":0,"deletion":{"date":"2020-01-01"}"#, []),
        (#""stage":"compatible","status":"island","island":{"reviewDate":"2026-01-01"}"#, ["overdue"]),
        (#""stage":"compatible","status":"island","island":{"reviewDate":"soon"}"#, []),
        (
            #""stage":"partialRollout","status":"rolledBack","deletion":{"date":"2026-01-01"}"#,
            ["rolled back", "overdue"]
        ),
        (#""stage":"partialRollout","status":"held","owner":"o","stepSince":\#(dayAgo)"#, ["held"]),
        (#""stage":"partialRollout","status":"held","owner":"o","stepSince":\#(yearAgo)"#, ["held", "overdue"]),
        (
            #""stage":"partialRollout","status":"active","owner":"o","step":1,"stepSince":\#(dayAgo),\#(plan(hold: 3_600))"#,
            ["to approve"]
        ),
        (
            #""stage":"partialRollout","status":"active","owner":"o","step":1,"stepSince":\#(dayAgo),\#(plan(hold: 90_000))"#,
            []
        ),
        (
            #""stage":"partialRollout","status":"active","owner":"o","step":1,"stepSince":\#(dayAgo),"#
                + #""approval":{"step":2},\#(plan(hold: 0))"#,
            []
        ),
        (#""stage":"partialRollout","status":"held","owner":"o","step":1,\#(plan(hold: 0))"#, ["held"]),
        (
            #""stage":"partialRollout","status":"active","owner":"o","step":2,"stepSince":\#(dayAgo),\#(plan(hold: 0))"#,
            []
        ),
        (
            #""stage":"defaultNew","status":"active","owner":"o","stageSince":\#(dayAgo),"exclusions":[{"id":"s4"}]"#,
            ["rolled back in part"]
        ),
        (#""stage":1,"status":[],"stageSince":"x""#, []),
        (#""stage":"compatible","status":"active","owner":"o","stageSince":-9223372036854775808"#, ["stuck"]),
    ])
    func `says what needs a person`(members: String, expected: [String]) throws {
        let route = try JSONValue(parsing: #"{"key":"a",\#(members)}"#)
        #expect(Need.needs(of: route, at: Run.beginning).map(\.what) == expected)
    }

    /// A ladder of two steps; the second is entered with approval.
    private static func plan(hold: Int) -> String {
        #""plan":{"steps":[{"share":5000,"holdSeconds":\#(hold)},{"share":100000,"needsApproval":true}]}"#
    }

    /// When a hold began is not stored.
    @Test func `takes the age of a step for no more than that`() throws {
        let route = try JSONValue(parsing: #"{"key":"a","status":"held","stepSince":\#(Self.yearAgo)}"#)
        let why = Need.needs(of: route, at: Run.beginning).last?.why
        #expect(why == "held, at a step that began 365 days ago")
    }

    @Test func `fits on a screen, the most urgent first`() throws {
        let held = (1...30).map { #"{"key":"h\#($0)","stage":"partialRollout","status":"held"}"# }
        let rolledBack = #"{"key":"z","stage":"partialRollout","status":"rolledBack","flipBacks":2}"#
        let service = try CannedService(200, #"{"routes":[\#((held + [rolledBack]).joined(separator: ","))]}"#)
        defer { service.stop() }
        let lines = Run("status", at: service).output.split(separator: "\n")
        #expect(lines.count < 24)
        #expect(lines[1].hasPrefix("rolled back  z"))
        #expect(lines.contains("and 16 more: signalbox route list"))
        #expect(lines.last == "31 routes: 31 partialRollout.")
    }

    @Test func `of a calm day is short`() throws {
        let service = try CannedService(200, #"{"routes":[{"key":"a","stage":"notStarted","status":"active"}]}"#)
        defer { service.stop() }
        #expect(Run("status", at: service).output == "Nothing needs a person now.\n\n1 route: 1 notStarted.\n")
    }
}

@Suite struct `What is overdue` {
    @Test(arguments: [("2020-01-01", true), ("2999-01-01", false)] as [(String, Bool)])
    func `fails where that is asked for`(date: String, isOverdue: Bool) throws {
        let route = #"{"key":"a","stage":"defaultNew","status":"active","owner":"o","deletion":{"date":"\#(date)"}}"#
        let service = try CannedService(200, #"{"routes":[\#(route)],"waivers":[]}"#)
        defer { service.stop() }
        #expect((Run("overdue --fail", at: service).status == .refused) == isOverdue)
        #expect(Run("overdue", at: service).status == .done)
        let json = Run("overdue --fail --json", at: service)
        #expect((json.status == .refused) == isOverdue)
        #expect((json.output != #"{"overdue":[]}"# + "\n") == isOverdue)
    }

    @Test func `is the same for people and for programs`() throws {
        let day: Int64 = 86_400_000
        let waivers = [("b", day), ("c", 8 * day), ("d", -day)].map { route, ahead in
            #"{"route":"\#(route)","gate":"parity","approver":"ann","expiresAt":\#(Run.beginning.milliseconds + ahead)}"#
        }
        let route = #"{"key":"a","stage":"defaultNew","owner":"o","deletion":{"date":"2020-01-01"}}"#
        let service = try CannedService(
            200, #"{"routes":[\#(route)],"waivers":[\#(waivers.joined(separator: ","))]}"#)
        defer { service.stop() }
        #expect(
            Run("overdue", at: service).output == """
                ROUTE  OWNER  OVERDUE                                         TO DO
                a      o      legacy was to be deleted on 2020-01-01          signalbox route show a
                b      ann    the waiver of parity ends 2026-06-02T00:00:00Z  signalbox route gates b

                """)
        #expect(
            Run("overdue --json", at: service).output
                == #"{"overdue":[{"route":"a","owner":"o","why":"legacy was to be deleted on 2020-01-01","#
                + #""remedy":"signalbox route show a"},{"route":"b","owner":"ann","#
                + #""why":"the waiver of parity ends 2026-06-02T00:00:00Z","remedy":"signalbox route gates b"}]}"#
                + "\n")
    }
}
