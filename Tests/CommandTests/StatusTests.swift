import FlagEvaluation
import Testing

@testable import signalbox

/// An answer of the service to `status`.
private func answer(
    routes: Int = 2, stages: String = #"{"notStarted":0,"compatible":2}"#, statuses: String = #"{"active":2,"held":0}"#,
    kinds: String = "{}", needs: [String] = [], more: Int = 0
) -> String {
    #"{"epoch":1,"revision":9,"at":\#(Run.beginning.milliseconds),"routes":\#(routes),"stages":\#(stages),"#
        + #""statuses":\#(statuses),"kinds":\#(kinds),"needs":[\#(needs.joined(separator: ","))],"more":\#(more)}"#
}

private func need(
    _ kind: String, _ route: String, owner: String? = "Trips team", days: Int64? = nil, _ why: String, _ remedy: String
) -> String {
    let since = days.map { JSONValue.integer(Run.beginning.milliseconds - $0 * 86_400_000) } ?? .null
    let need: JSONValue = [
        "kind": .string(kind), "urgency": 0, "route": .string(route), "owner": owner.map { .string($0) } ?? .null,
        "since": since, "why": .string(why), "remedy": .string("signalbox route \(remedy)"),
    ]
    return need.jsonText
}

private func output(_ line: String, _ answer: String) throws -> [String] {
    let service = try CannedService(200, answer)
    defer { service.stop() }
    return Run(line, at: service).output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
}

@Suite struct `Status` {
    private static let few = [
        need("rolledBack", "trips.edit", days: 3, "from defaultNew", "resume trips.edit --cause … --reason …"),
        need("rolledBackInPart", "orders.list", "app pad: crash", "resume orders.list --scope s4 --reason …"),
        need("overdue", "orders.detail", owner: nil, "deletion due 2026-05-31", "show orders.detail"),
    ]

    @Test func `shows what the service says needs a person`() throws {
        let text = answer(
            stages: #"{"notStarted":1,"compatible":0,"defaultNew":1}"#, statuses: #"{"active":1,"rolledBack":1}"#,
            kinds: #"{"rolledBack":1,"rolledBackInPart":1,"held":0,"overdue":1}"#, needs: Self.few)
        #expect(
            try output("status", text) == [
                "NEEDS YOU            ROUTE          SINCE  OWNER       WHY",
                "rolled back          trips.edit     3 d    Trips team  from defaultNew",
                "  → signalbox route resume trips.edit --cause … --reason …",
                "rolled back in part  orders.list           Trips team  app pad: crash",
                "  → signalbox route resume orders.list --scope s4 --reason …",
                "overdue              orders.detail                     deletion due 2026-05-31",
                "  → signalbox route show orders.detail",
                "",
                "Needs: 1 rolled back, 1 rolled back in part, 1 overdue.",
                "2 routes: 1 notStarted, 1 defaultNew.",
                "1 active, 1 rolled back.",
            ])
    }

    @Test func `of a calm day is short`() throws {
        #expect(
            try output("status", answer(routes: 1, stages: #"{"notStarted":1}"#, statuses: #"{"active":1}"#)) == [
                "Nothing needs a person now.", "", "1 route: 1 notStarted.",
            ])
        #expect(
            try output("status", answer(routes: 0, stages: "{}", statuses: "{}")) == [
                "Nothing needs a person now.", "", "There are no routes.",
            ])
    }

    @Test func `asks once, for all that is asked of it`() throws {
        let service = try CannedService(200, answer())
        defer { service.stop() }
        _ = Run("status", at: service)
        _ = Run("status --owner a&b --all", at: service)
        _ = Run("overdue --owner a&b", at: service)
        #expect(
            service.requests.map(\.target) == [
                "/v1/status", "/v1/status?owner=a%26b&limit=1000", "/v1/status?overdue=true&owner=a%26b&limit=1000",
            ])
    }

    @Test func `prints the service's answer as it came`() throws {
        let text = answer(needs: Self.few)
        #expect(try output("status --json", text) == [text])
        #expect(try output("overdue --json", text) == [text])
    }

    /// Whatever people have written: 80 columns and 24 lines, of which one is left for the next command.
    @Test(arguments: [
        ("plain", "Trips team", "from defaultNew"),
        (String(repeating: "k", count: 128), String(repeating: "o", count: 200), String(repeating: "why ", count: 125)),
        ("wide", String(repeating: "界", count: 80), String(repeating: "한글", count: 125)),
        ("marks", String(repeating: "e\u{301}", count: 90), String(repeating: "👩‍👩‍👧", count: 90)),
        ("steering", "\u{1B}[2J\r\n\u{202E}\u{2066}\u{2028}", "\u{1B}]0;x\u{7}" + String(repeating: "\n", count: 90)),
        ("", "", ""),
    ])
    func `fits on a screen with three hundred routes`(key: String, owner: String, why: String) throws {
        let needs = (0..<100).map {
            need(
                "rolledBackInPart", "\(key)\($0)".suffix128, owner: owner, why,
                "resume \("\(key)\($0)".suffix128) --reason …")
        }
        let lines = try output(
            "status",
            answer(
                routes: 300,
                stages:
                    #"{"notStarted":50,"compatible":50,"partialRollout":50,"defaultNew":50,"oldDisabled":50,"oldDeleted":50}"#,
                statuses: #"{"active":100,"held":100,"rolledBack":50,"island":50}"#,
                kinds:
                    #"{"rolledBack":50,"stopped":50,"rolledBackInPart":200,"held":100,"ahead":100,"overdue":200,"stuck":9}"#,
                needs: needs, more: 609))
        #expect(lines.count < 24)
        for line in lines { #expect(line.columns <= 80, "\(line)") }
        for scalar in ["\u{1B}", "\r", "\u{7}", "\u{2028}", "\u{202E}", "\u{2066}"] as [Unicode.Scalar] {
            #expect(!lines.joined().unicodeScalars.contains(scalar))
        }
        let shown = lines.count { $0.hasPrefix("rolled back in part") }
        #expect(shown >= 2)
        #expect(lines.contains("and \(709 - shown) more; --all lists them."))
        let all = try output("status --all", answer(needs: needs, more: 609))
        #expect(all.count { $0.hasPrefix("rolled back in part") } == 100)
        #expect(all.contains("and 609 more; --owner says whose to list."))
        for line in all { #expect(line.columns <= 80, "\(line)") }
    }

    @Test func `of three hundred routes is this screen`() throws {
        let needs = (1...100).map {
            need(
                "rolledBack", "trips.screen\($0)", days: $0 % 7 + 2, "from partialRollout",
                "resume trips.screen\($0) --cause … --reason …")
        }
        let lines = try output(
            "status",
            answer(
                routes: 300,
                stages: #"{"notStarted":50,"compatible":50,"partialRollout":100,"defaultNew":50,"oldDisabled":50}"#,
                statuses: #"{"active":200,"rolledBack":100}"#, kinds: #"{"rolledBack":100}"#, needs: needs))
        #expect(
            lines.prefix(5) == [
                "NEEDS YOU    ROUTE          SINCE  OWNER       WHY",
                "rolled back  trips.screen1  3 d    Trips team  from partialRollout",
                "  → signalbox route resume trips.screen1 --cause … --reason …",
                "rolled back  trips.screen2  4 d    Trips team  from partialRollout",
                "  → signalbox route resume trips.screen2 --cause … --reason …",
            ])
        #expect(
            lines.suffix(6) == [
                "and 92 more; --all lists them.", "", "Needs: 100 rolled back.",
                "300 routes: 50 notStarted, 50 compatible, 100 partialRollout, 50 defaultNew, 50", "oldDisabled.",
                "200 active, 100 rolled back.",
            ])
        #expect(lines.count == 23)
    }
}

@Suite struct `What is overdue` {
    private static let late = need(
        "overdue", "a", owner: "o", "deletion due 2020-01-01", "show a")
    private static let waiver = need(
        "waiverEnds", "b", owner: "ann", "on 2026-06-02: parity", "gates b")

    @Test func `is listed with who answers for it and what to do`() throws {
        #expect(
            try output("overdue", answer(needs: [Self.late, Self.waiver])) == [
                "NEEDS YOU    ROUTE  SINCE  OWNER  WHY",
                "overdue      a             o      deletion due 2020-01-01",
                "  → signalbox route show a",
                "waiver ends  b             ann    on 2026-06-02: parity",
                "  → signalbox route gates b",
            ])
        #expect(try output("overdue", answer()) == ["Nothing is overdue."])
    }

    @Test func `is counted however many there are`() throws {
        let lines = try output("overdue", answer(needs: [Self.late, Self.waiver], more: .max))
        #expect(lines.last == "and 9223372036854775807 more; --owner says whose to list.")
        let screen = try output("status", answer(needs: Array(repeating: Self.late, count: 30), more: .max))
        #expect(screen.contains("and 9223372036854775807 more; --all lists them."))
    }

    @Test(arguments: [([late], 0, true), ([], 0, false), ([], 3, true), ([late], .max, true)])
    func `fails where that is asked for`(needs: [String], more: Int, isOverdue: Bool) throws {
        let service = try CannedService(200, answer(needs: needs, more: more))
        defer { service.stop() }
        #expect((Run("overdue --fail", at: service).status == .refused) == isOverdue)
        #expect((Run("overdue --fail --json", at: service).status == .refused) == isOverdue)
        #expect(Run("overdue", at: service).status == .done)
    }
}

extension String {
    /// The end of a key, no longer than a key may be.
    fileprivate var suffix128: String { String(suffix(128)) }
}
